import { MachineError } from "../../../core/text/errors.ts";

// Primary result codes of SQLite (sqlite.org/rescode.html). The higher bits of `errcode` are details.
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IO = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOT_A_DATABASE = 26;

export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return null;
  return error.errcode & 0xff;
}

export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === BUSY || code === LOCKED;
}

export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === CORRUPT || code === NOT_A_DATABASE;
}

/** Converts errors of the machine to user errors. All other errors are bugs and are returned unchanged. */
export function explainSqliteError(error: unknown, file: string): unknown {
  const explained = explain(sqliteCode(error), file, error instanceof Error ? error.message : String(error));
  if (explained !== null) explained.cause = error;
  return explained ?? error;
}

function explain(code: number | null, file: string, message: string): MachineError | null {
  switch (code) {
    case FULL:
      return unavailable(
        `The disk of ${file} is full; nothing was written.`,
        "Free some space. Nightshift then continues by itself.",
      );
    case BUSY:
    case LOCKED:
      return unavailable(
        `Another program has locked ${file}; nothing was written.`,
        "Close programs that have this database open.",
      );
    case READONLY:
      return unavailable(
        `${file} is read-only; nothing was written.`,
        "Make the file and its directory writable for this user.",
      );
    case IO:
      return unavailable(
        `The disk failed while using ${file} (${message}).`,
        'Check the disk, and run "nightshift doctor" to check the database.',
      );
    case CANTOPEN:
      return unavailable(
        `${file} cannot be opened.`,
        "Check that its directory exists and that this user may read and write both.",
      );
    case CORRUPT:
    case NOT_A_DATABASE:
      return unavailable(
        `${file} is damaged or not a SQLite database (${message}).`,
        "Move it away and restore a backup. Nightshift has not changed it.",
      );
    default:
      return null;
  }
}

function unavailable(message: string, hint: string): MachineError {
  return new MachineError(message, hint);
}
