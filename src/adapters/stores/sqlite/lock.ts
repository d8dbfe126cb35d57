import { DatabaseSync } from "node:sqlite";
import { UserError } from "../../../core/text/errors.ts";
import { explainSqliteError, isBusy } from "./errors.ts";

/**
 * Locks `file` for this process with an exclusive transaction on a lock file that is never committed. The operating system
 * releases the lock when the process exits or crashes. Other code in this process must not open and close the lock file,
 * because POSIX locks belong to the process and closing any handle releases them.
 */
export function acquireLock(file: string, lockFile: string): () => void {
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(lockFile, { timeout: 0 });
    lock.exec("begin exclusive");
    const held = lock;
    return () => held.close();
  } catch (error) {
    lock?.close();
    if (!isBusy(error)) throw explainSqliteError(error, lockFile);
    throw new UserError(
      "conflict",
      `Another Nightshift daemon uses ${file}.`,
      'Stop it with "nightshift stop", or set NIGHTSHIFT_HOME to another directory.',
    );
  }
}
