import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createReadStream, openSync, statSync } from "node:fs";
import type { ReadStream } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { hasCode } from "../adapters/process/job-files.ts";
import { sleep } from "../adapters/process/sleep.ts";
import type { Exit } from "../core/task/run.ts";
import type { ConfinedCommand } from "../ports/sandbox.ts";
import { openPipes } from "./output/pipes.ts";
import type { Pipes } from "./output/pipes.ts";

export interface StartedProcess {
  readonly pid: number;
  readonly pipes: Pipes;
  readonly exited: Promise<Exit>;
  /** Call this after the exit. Returns the status output of the sandbox, or "" if there is no sandbox. */
  readonly status: () => Promise<string>;
}

/** The process, or a message why it could not be started. */
export type Start = StartedProcess | { readonly startError: string };

interface StartParams {
  readonly command: ConfinedCommand;
  readonly stdinFile: string | null;
  readonly dir: string;
}

/** Starts the command in its own session and process group. */
export async function startProcess(params: StartParams): Promise<Start> {
  const { command, stdinFile, dir } = params;
  // Open the file before the start, because a command must not run with an empty stdin if its file is missing.
  const input = stdinFile === null ? null : createReadStream("", { fd: openSync(stdinFile, "r") });
  const pipes = openPipes(dir, input !== null);
  try {
    const [program, ...args] = command.argv;
    const extra = Array.from({ length: command.inputs.length + command.statusPipes }, () => "pipe" as const);
    const stdio = [...pipes.childEnds, ...extra];
    const child = spawn(program, args, { cwd: command.cwd, env: { ...command.env }, detached: true, stdio });
    const exited = waitForExit(child);
    const pid = await waitForStart(child);
    writeInputs(child, command.inputs);
    pipeStdin(pipes, input);
    return { pid, pipes, exited, status: readStatus(child, command) };
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

const FIRST_INPUT = 3;
const MAX_STATUS = 65_536;
/** The status may arrive shortly after the exit, and a process inside may keep the pipe open. */
const STATUS_TIMEOUT_MS = 1_000;

function writeInputs(child: ChildProcess, inputs: readonly Uint8Array[]): void {
  inputs.forEach((bytes, index) => {
    const pipe = child.stdio[FIRST_INPUT + index];
    // A sandbox that fails early does not read all inputs. Its status reports the failure.
    if (pipe instanceof Writable) pipe.on("error", () => {}).end(bytes);
  });
}

function readStatus(child: ChildProcess, { inputs, statusPipes }: ConfinedCommand): () => Promise<string> {
  const first = FIRST_INPUT + inputs.length;
  const pipes = child.stdio.slice(first, first + statusPipes).filter((pipe) => pipe instanceof Readable);
  let text = "";
  for (const pipe of pipes)
    pipe.on("data", (chunk: Buffer) => {
      if (text.length < MAX_STATUS) text += chunk.toString("latin1");
    });
  const closed = new AbortController();
  void Promise.all(pipes.map((pipe) => new Promise((done) => pipe.once("close", done)))).then(() => closed.abort());
  return async () => {
    await sleep(STATUS_TIMEOUT_MS, closed.signal);
    return text;
  };
}

function pipeStdin({ stdin }: Pipes, input: ReadStream | null): void {
  if (stdin === null || input === null) return;
  // A program may exit without reading its input. The rest is discarded.
  stdin.on("close", () => input.destroy());
  stdin.on("error", () => {});
  input.on("error", () => stdin.destroy());
  input.pipe(stdin);
}

function explain({ argv, cwd, env }: ConfinedCommand, error: unknown): string {
  const [program] = argv;
  if (!isDirectory(cwd)) return `"${basename(program)}" was not started: its working directory ${cwd} does not exist.`;
  if (hasCode(error, "ENOENT") || (hasCode(error, "EACCES") && !isFileOnPath(program, env["PATH"] ?? ""))) {
    const place = program.includes("/")
      ? dirname(isAbsolute(program) ? program : join(cwd, program))
      : "any directory of PATH";
    return `The program "${basename(program)}" was not found in ${place}. Install it, or correct the command.`;
  }
  if (hasCode(error, "EACCES")) return `The program "${program}" is not executable. Check its mode and its path.`;
  if (hasCode(error, "E2BIG"))
    return `"${basename(program)}" was not started: its arguments and environment are too long.`;
  return `"${basename(program)}" could not be started: ${error instanceof Error ? error.message : String(error)}.`;
}

/** The system also reports EACCES if the program does not exist and a directory of PATH cannot be searched. */
function isFileOnPath(program: string, path: string): boolean {
  const places = program.includes("/") ? [program] : path.split(delimiter).map((folder) => join(folder, program));
  return places.some((place) => {
    try {
      return statSync(place).isFile();
    } catch {
      return false;
    }
  });
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
