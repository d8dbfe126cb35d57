import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { CommandProgress, ExitRecord, Job } from "../../ports/supervisor.ts";

/** Names of the files in a job's directory. */
export const JOB_FILE = "job.json";
export const CLAIM = "claim";
export const SUPERVISOR_FILE = "supervisor.json";
export const PROCESS_FILE = "process.json";
export const EXIT_FILE = "exit.json";
export const TRANSCRIPT = "transcript.jsonl";
/** One line for each start and end of a command. */
export const PROGRESS_FILE = "progress.jsonl";
export const SUPERVISOR_LOG = "supervisor.log";
/** Directory of the sandbox's own files while a command runs in it. */
export const SANDBOX_DIR = ".wall";

/** Content of `job.json`. */
export interface StoredJob extends Omit<Job, "secrets" | "keys" | "redact"> {
  readonly socket: string;
  /** Directory that sandboxes keep between runs. */
  readonly cache: string;
  readonly timings: Timings;
}

export interface Timings {
  /** Grace period between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** How long a process may print nothing after it has reported its outcome. */
  readonly hungMs: number;
}

export const TIMINGS: Timings = { graceMs: 5_000, hungMs: 10_000 };

/** Secrets of a job. They are sent through a pipe and never written to a file. */
export type JobSecrets = Pick<Job, "secrets" | "keys" | "redact">;

/** Content of `supervisor.json` and `process.json`. The start time identifies the process even if its pid is reused. */
export interface ProcessFile {
  readonly pid: number;
  readonly startTime: number | null;
}

/** An environment variable that all processes of a run inherit. It is used to find them again. */
export function runEnvironmentEntry(run: string): string {
  return `NIGHTSHIFT_RUN=${run}`;
}

/** Returns null if the file is missing or not complete yet. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

// The casts below are safe: only this program writes these files, atomically, in a directory that no sandboxed command can
// reach.

export function readJob(dir: string): StoredJob | null {
  return readJson(join(dir, JOB_FILE)) as StoredJob | null;
}

/** A supervisor that is certainly dead. */
export const DEAD: ProcessFile = { pid: 0, startTime: null };

/** Returns null if no supervisor has registered. A file that cannot be read was damaged by a power cut, so its supervisor is dead. */
export function readSupervisor(dir: string): ProcessFile | null {
  const file = join(dir, SUPERVISOR_FILE);
  return (readJson(file) as ProcessFile | null) ?? (existsSync(file) ? DEAD : null);
}

export function readRunningProcess(dir: string): ProcessFile | null {
  return readJson(join(dir, PROCESS_FILE)) as ProcessFile | null;
}

/** Empty if there is no file, as in jobs of an earlier version. Leaves out lines that are incomplete or damaged by a power cut. */
export function readProgress(dir: string): readonly CommandProgress[] {
  try {
    const lines = readFileSync(join(dir, PROGRESS_FILE), "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as CommandProgress);
  } catch {
    return [];
  }
}

/** Content of `exit.json`. */
export type StoredExitRecord = ExitRecord & { readonly boot: string | null };

/**
 * Returns null if there is none, and also if it was written before the machine went down: the record was flushed, but the files
 * that the command wrote were not.
 */
export function readExitRecord(dir: string): ExitRecord | null {
  const stored = readJson(join(dir, EXIT_FILE)) as StoredExitRecord | null;
  if (stored === null) return null;
  const { boot, ...record } = stored;
  return boot === bootId() ? record : null;
}

/** Identifies the current boot of the machine. Null where the system does not tell. */
export function bootId(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return null;
  }
}

/** Replaces a file atomically. Not durable: a power loss may undo it. */
export function replaceFile(file: string, value: unknown): void {
  const temporary = temporaryName(file);
  writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 });
  renameSync(temporary, file);
}

/** Starts with a dot, like everything that may be removed after the run has ended. */
function temporaryName(file: string): string {
  return join(dirname(file), `.${basename(file)}.${process.pid}`);
}

/** Creates a file atomically with its complete content. Returns false if it already exists. */
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

/** Claims the job for one supervisor. Returns false if it is already claimed. */
export function claimJob(dir: string): boolean {
  try {
    mkdirSync(join(dir, CLAIM), { mode: 0o700 });
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** Makes renames and new files in a directory durable. */
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
