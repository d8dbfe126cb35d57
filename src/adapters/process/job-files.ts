import { closeSync, fsyncSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ExitRecord, Job } from "../../ports/supervisor.ts";

/** What stands in a job's directory. */
export const JOB_FILE = "job.json";
export const CLAIM = "claim";
export const SUPERVISOR_FILE = "supervisor.json";
export const PROCESS_FILE = "process.json";
export const EXIT_FILE = "exit.json";
export const TRANSCRIPT = "transcript.jsonl";
export const SUPERVISOR_LOG = "supervisor.log";
/** What a sandbox keeps outside while a command runs in it. */
export const WALL = ".wall";

/** `job.json`. */
export interface StoredJob extends Omit<Job, "secrets" | "keys" | "redact"> {
  readonly socket: string;
  /** What sandboxes keep between runs. */
  readonly cache: string;
  readonly timings: Timings;
}

export interface Timings {
  /** Between asking politely and killing. */
  readonly politeMs: number;
  /** How long a process may be silent once its outcome is there. */
  readonly hungMs: number;
}

export const TIMINGS: Timings = { politeMs: 5_000, hungMs: 10_000 };

/** What comes by the pipe and stands in no file. */
export type Handed = Pick<Job, "secrets" | "keys" | "redact">;

/** `supervisor.json` and `process.json`: who they were, however often the pid is used again. */
export interface ProcessFile {
  readonly pid: number;
  readonly startTime: number | null;
}

/** What every command of a run has in its environment, and passes on: by this its processes are found again. */
export function runMark(run: string): string {
  return `NIGHTSHIFT_RUN=${run}`;
}

/** Null when it is missing or not (yet) whole. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

// The readers below cast: these files are written by this program alone, whole or not at all, where no sandboxed
// command can reach.

export function readJob(dir: string): StoredJob | null {
  return readJson(join(dir, JOB_FILE)) as StoredJob | null;
}

export function readSupervisor(dir: string): ProcessFile | null {
  return readJson(join(dir, SUPERVISOR_FILE)) as ProcessFile | null;
}

export function readRunningProcess(dir: string): ProcessFile | null {
  return readJson(join(dir, PROCESS_FILE)) as ProcessFile | null;
}

export function readExitRecord(dir: string): ExitRecord | null {
  return readJson(join(dir, EXIT_FILE)) as ExitRecord | null;
}

/** Readers see the old file or the new one. Not durable: a power cut may undo it. */
export function replaceFile(file: string, value: unknown): void {
  const temporary = temporaryName(file);
  writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 });
  renameSync(temporary, file);
}

/** With a dot in front, as everything that may be removed once the run has ended. */
function temporaryName(file: string): string {
  return join(dirname(file), `.${basename(file)}.${process.pid}`);
}

/** False when the file was there before; otherwise it appears with its whole content. */
export function createFile(file: string, value: unknown): boolean {
  const temporary = temporaryName(file);
  writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 });
  try {
    linkSync(temporary, file);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Makes renames and new names in a directory survive a power cut. */
export function syncDirectory(dir: string): void {
  const handle = openSync(dir, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
