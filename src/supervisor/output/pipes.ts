import { spawnSync } from "node:child_process";
import { closeSync, constants, existsSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";

/**
 * Named pipes, opened at both ends and unlinked immediately. Node's own "pipe" is a socket pair, and scripts with
 * `> /dev/stderr` or `< /dev/stdin` fail on a socket.
 */
export interface Pipes {
  readonly stdin: Socket | null;
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** The child's ends, for `stdio`. */
  readonly childEnds: readonly ["ignore" | number, number, number];
  /** Call this after the child has been spawned. */
  closeChildEnds(): void;
}

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

export function openPipes(dir: string, withStdin: boolean): Pipes {
  const [out, err, input] = pipePaths(dir);
  if (!existsSync(input)) makePipes(dir);
  try {
    const [stdout, childOut] = openForReading(out);
    const [stderr, childErr] = openForReading(err);
    const [stdin, childIn] = withStdin ? openForWriting(input) : ([null, "ignore"] as const);
    const childEnds = [childIn, childOut, childErr] as const;
    return { stdin, stdout, stderr, childEnds, closeChildEnds: () => childEnds.forEach(closeNumber) };
  } finally {
    removePipes(dir);
  }
}

/** Creates the pipes early, while the supervisor waits for its job. On failure, `openPipes` tries again. */
export function preparePipes(dir: string): void {
  try {
    makePipes(dir);
  } catch {
    removePipes(dir);
  }
}

export function removePipes(dir: string): void {
  for (const path of pipePaths(dir)) rmSync(path, { force: true });
}

/** The names include the pid, because another supervisor may wait for the same job. */
function pipePaths(dir: string): readonly [out: string, err: string, input: string] {
  const named = (name: string): string => join(dir, `.pipe-${name}-${process.pid}`);
  return [named("out"), named("err"), named("in")];
}

function makePipes(dir: string): void {
  const made = spawnSync("mkfifo", ["-m", "600", ...pipePaths(dir)], { encoding: "utf8" });
  if (made.error !== undefined) throw made.error;
  if (made.status !== 0) {
    // mkfifo reports a full disk only in its message.
    const code = made.stderr.includes("No space left") ? "ENOSPC" : "EIO";
    throw Object.assign(new Error(`Could not create a named pipe: ${made.stderr.trim()}`), { code });
  }
}

function openForReading(path: string): readonly [Socket, number] {
  const ours = openSync(path, O_RDONLY | O_NONBLOCK);
  const theirs = openSync(path, O_WRONLY);
  return [new Socket({ fd: ours, readable: true, writable: false }), theirs];
}

function openForWriting(path: string): readonly [Socket, number] {
  // Opening only one end would block until the other is open. This temporary descriptor has both.
  const both = openSync(path, O_RDWR | O_NONBLOCK);
  const theirs = openSync(path, O_RDONLY);
  const ours = openSync(path, O_WRONLY | O_NONBLOCK);
  closeSync(both);
  return [new Socket({ fd: ours, readable: false, writable: true }), theirs];
}

function closeNumber(end: "ignore" | number): void {
  if (typeof end === "number") closeSync(end);
}
