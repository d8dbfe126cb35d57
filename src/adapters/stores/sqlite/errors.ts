import { UserError } from "../../../core/text/errors.ts";

// Primary result codes of SQLite (sqlite.org/rescode.html); the higher bits of `errcode` only refine them.
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

/** Turns what the machine is to blame for into a sentence; everything else is a mistake of ours and stays as it is. */
export function explainSqliteError(error: unknown, file: string): unknown {
  const explained = explain(sqliteCode(error), file, error instanceof Error ? error.message : String(error));
  if (explained !== null) explained.cause = error;
  return explained ?? error;
}

function explain(code: number | null, file: string, message: string): UserError | null {
  switch (code) {
    case FULL:
      return unavailable(
        `The disk of ${file} is full; nothing was written.`,
        "Free some space; Nightshift goes on by itself.",
      );
    case BUSY:
    case LOCKED:
      return unavailable(
        `Another program keeps ${file} locked; nothing was written.`,
        "Close programs that have this database open.",
      );
    case READONLY:
      return unavailable(
        `${file} may only be read; nothing was written.`,
        "Make the file and its directory writable for this user.",
      );
    case IO:
      return unavailable(
        `The disk failed while using ${file} (${message}).`,
        "Check the disk; `nightshift doctor` checks the database.",
      );
    case CANTOPEN:
      return unavailable(
        `${file} cannot be opened.`,
        "Check that its directory exists and that this user may read and write both.",
      );
    case CORRUPT:
    case NOT_A_DATABASE:
      return unavailable(
        `${file} is damaged or no SQLite database (${message}).`,
        "Move it away and put a backup in its place; Nightshift changes nothing in it.",
      );
    default:
      return null;
  }
}

function unavailable(message: string, hint: string): UserError {
  return new UserError("unavailable", message, hint);
}
