import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { bootId, EXIT_FILE, hasCode, syncDirectory, type StoredExitRecord } from "../adapters/process/job-files.ts";
import { sleep } from "../adapters/process/sleep.ts";
import { UserError } from "../core/text/errors.ts";
import type { ExitRecord } from "../ports/supervisor.ts";

const RESERVE = `.${EXIT_FILE}.reserve`;
const RETRY_EVERY_MS = 500;

/** Reserves disk space for the record, so that it can be written even if the disk becomes full. */
export function reserveExitRecord(dir: string, commands: number): void {
  writeFileSync(join(dir, RESERVE), Buffer.alloc(4096 + 1024 * commands, " "), { mode: 0o600 });
}

/** Writes the record atomically and durably. Retries for `timeoutMs` if writing fails. */
export async function writeExitRecord(dir: string, record: ExitRecord, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return writeOnce(dir, `${JSON.stringify({ ...record, boot: bootId() } satisfies StoredExitRecord)}\n`);
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(RETRY_EVERY_MS);
    }
  }
}

function writeOnce(dir: string, text: string): void {
  const reserve = join(dir, RESERVE);
  const handle = openSync(reserve, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at, bytes.length - at, at);
    ftruncateSync(handle, bytes.length);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(reserve, join(dir, EXIT_FILE));
  syncDirectory(dir);
}

/** Something outside removed a directory of the run before the command started. Neither the agent nor the sandbox is the cause. */
export class DirectoryGoneError extends Error {
  override readonly name = "DirectoryGoneError";
}

/** Converts a failure of the supervisor itself to the error of the exit record. */
export function describeFailure(error: unknown): NonNullable<ExitRecord["error"]> {
  if (error instanceof UserError) {
    return { kind: "sandbox_refused", message: [error.message, error.hint].filter((part) => part !== null).join(" ") };
  }
  if (hasCode(error, "ENOSPC", "EDQUOT")) {
    return { kind: "disk_full", message: "The disk is full. The command or its output could not be written." };
  }
  if (error instanceof DirectoryGoneError) return { kind: "internal", message: error.message };
  return { kind: "internal", message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
