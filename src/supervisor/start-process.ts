import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createReadStream, openSync, statSync } from "node:fs";
import type { ReadStream } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { hasCode } from "../adapters/process/job-files.ts";
import type { Exit } from "../core/run.ts";
import type { ConfinedCommand } from "../ports/sandbox.ts";
import { openPipes } from "./pipes.ts";
import type { Pipes } from "./pipes.ts";

export interface StartedProcess {
  readonly pid: number;
  readonly pipes: Pipes;
  readonly exited: Promise<Exit>;
}

/** The process, or the sentence that says why there is none. */
export type Start = StartedProcess | { readonly startError: string };

interface StartParams {
  readonly command: ConfinedCommand;
  /** The whole environment: nothing of the supervisor's own is passed on. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdinFile: string | null;
  readonly dir: string;
}

/** In a session and process group of its own. */
export async function startProcess(params: StartParams): Promise<Start> {
  const { command, env, stdinFile, dir } = params;
  // Opened before anything starts: a command must not run on an empty stdin because its file is missing.
  const input = stdinFile === null ? null : createReadStream("", { fd: openSync(stdinFile, "r") });
  const pipes = openPipes(dir, input !== null);
  try {
    const [program, ...args] = command.argv;
    const stdio = [...pipes.childEnds];
    const child = spawn(program, args, { cwd: command.cwd, env: { ...env }, detached: true, stdio });
    const exited = waitForExit(child);
    const pid = await waitForStart(child);
    feed(pipes, input);
    return { pid, pipes, exited };
  } catch (error) {
    for (const stream of [input, pipes.stdin, pipes.stdout, pipes.stderr]) stream?.destroy();
    if (hasCode(error, "ENOSPC", "EDQUOT")) throw error;
    return { startError: explain(command, error) };
  } finally {
    pipes.closeChildEnds();
  }
}

function waitForExit(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
}

function waitForStart(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", () => resolve(child.pid ?? 0));
  });
}

function feed({ stdin }: Pipes, input: ReadStream | null): void {
  if (stdin === null || input === null) return;
  // A program may end without reading its input; then the rest is nobody's.
  stdin.on("close", () => input.destroy());
  stdin.on("error", () => {});
  input.on("error", () => stdin.destroy());
  input.pipe(stdin);
}

function explain({ argv, cwd }: ConfinedCommand, error: unknown): string {
  const [program] = argv;
  if (!isDirectory(cwd)) return `"${basename(program)}" was not started: its working directory ${cwd} does not exist.`;
  if (hasCode(error, "ENOENT")) {
    const place = program.includes("/")
      ? dirname(isAbsolute(program) ? program : join(cwd, program))
      : "any directory of PATH";
    return `The program "${basename(program)}" was not found in ${place}. Install it, or correct the command.`;
  }
  if (hasCode(error, "EACCES")) return `The program "${program}" may not be executed: check its mode and its path.`;
  if (hasCode(error, "E2BIG"))
    return `"${basename(program)}" was not started: its arguments and environment are too long.`;
  return `"${basename(program)}" could not be started: ${error instanceof Error ? error.message : String(error)}.`;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
