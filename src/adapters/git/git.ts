import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { UserError } from "../../core/text/errors.ts";

export interface GitCall {
  readonly args: readonly string[];
  readonly gitDir: string;
  readonly workTree?: string;
  readonly indexFile?: string;
  /** Replaces the clean environment: only for fetch and push, see network-env.ts. */
  readonly env?: Readonly<Record<string, string>>;
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** `name=value`, for this call only. */
  readonly settings?: readonly string[];
  readonly input?: string | Buffer | AsyncIterable<Buffer>;
  /** Stops git once it has written this much. */
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

export interface GitResult {
  /** Null when git was stopped by us. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const TEN_MINUTES = 600_000;
const STDERR_BYTES = 64 * 1024;

/** Given to every call, so that neither a repository nor a person's configuration makes git start a program or change bytes. */
const GUARDS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.attributesFile=/dev/null",
  "core.excludesFile=/dev/null",
  "core.quotePath=false",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "push.recurseSubmodules=no",
  "commit.gpgSign=false",
  "push.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "fastimport.unpackLimit=0",
  // What the store says was committed is there after a power cut; without this, single objects are left to luck.
  "core.fsync=committed",
  "core.fsyncMethod=batch",
];

/** What every git of ours is told, near or far: no questions, no lazy downloads, only transports that cannot name a program. */
export const QUIET_ENV: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
};

/** Runs git and waits for it. Any exit code is a result; only a git that cannot be started or fed is an error. */
export async function runGit(call: GitCall): Promise<GitResult> {
  const settings = [...GUARDS, ...(call.settings ?? [])].flatMap((setting) => ["-c", setting]);
  const child = spawn("git", [...settings, ...call.args], {
    // Never the agent's tree: git goes there by itself where it has to.
    cwd: call.gitDir,
    env: { ...(call.env ?? cleanEnv()), ...placeEnv(call), ...call.extraEnv },
    stdio: [call.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    timeout: call.timeoutMs ?? TEN_MINUTES,
    killSignal: "SIGKILL",
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  let outBytes = 0;
  let errBytes = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout.push(chunk);
    outBytes += chunk.length;
    if (call.maxBytes !== undefined && outBytes > call.maxBytes) child.kill("SIGKILL");
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    if (errBytes < STDERR_BYTES) stderr.push(chunk);
    errBytes += chunk.length;
  });
  const [code] = await Promise.all([waitForEnd(child), feed(child, call.input)]);
  return { code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() };
}

/** Like `runGit`, for calls that have no way to fail but a fault of the machine or of ours. */
export async function git(call: GitCall): Promise<Buffer> {
  const result = await runGit(call);
  if (result.code !== 0) throw gitFailure(call, result);
  return result.stdout;
}

export function gitFailure(call: GitCall, result: GitResult): Error {
  const verb = call.args[0] ?? "git";
  if (/No space left on device|Disk quota exceeded/.test(result.stderr)) {
    return new UserError(
      "unavailable",
      `git ${verb} found no space left on the disk.`,
      "Free some space and try again.",
    );
  }
  const said = result.stderr.trim() || (result.code === null ? "it was stopped" : `exit code ${result.code}`);
  return new Error(`git ${verb} failed in ${call.gitDir}: ${said}`);
}

function cleanEnv(): Record<string, string> {
  return {
    ...QUIET_ENV,
    PATH: process.env["PATH"] ?? "",
    HOME: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
  };
}

function placeEnv(call: GitCall): Record<string, string> {
  return {
    GIT_DIR: call.gitDir,
    ...(call.workTree === undefined ? {} : { GIT_WORK_TREE: call.workTree }),
    ...(call.indexFile === undefined ? {} : { GIT_INDEX_FILE: call.indexFile }),
  };
}

function waitForEnd(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      reject(error.code === "ENOENT" ? explainMissing() : error);
    });
    child.once("close", resolve);
  });
}

function explainMissing(): UserError {
  return new UserError(
    "unavailable",
    "git could not be started: it is not on the PATH, or Nightshift's own directory is gone.",
    "Install git 2.38 or newer.",
  );
}

async function feed(child: ChildProcess, input: GitCall["input"]): Promise<void> {
  if (input === undefined || child.stdin === null) return;
  const source = typeof input === "string" || Buffer.isBuffer(input) ? [Buffer.from(input)] : input;
  try {
    await pipeline(Readable.from(source), child.stdin);
  } catch (error) {
    // A git that ended before it read everything says why with its exit code.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EPIPE" || code === "ERR_STREAM_PREMATURE_CLOSE" || child.pid === undefined) return;
    child.kill("SIGKILL");
    throw error;
  }
}
