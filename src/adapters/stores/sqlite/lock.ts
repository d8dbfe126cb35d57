import { truncateSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { UserError } from "../../../core/text/errors.ts";
import { explainSqliteError, isBusy, isDamage } from "./errors.ts";

/**
 * Locks `file` for this process with an exclusive transaction on a lock file that is never committed. The operating system
 * releases the lock when the process exits or crashes. Other code in this process must not open and close the lock file,
 * because POSIX locks belong to the process and closing any handle releases them.
 */
export function acquireLock(file: string, lockFile: string): () => void {
  try {
    return acquireRepairing(lockFile);
  } catch (error) {
    if (!isBusy(error)) throw explainSqliteError(error, lockFile);
    throw new UserError(
      "conflict",
      `Another Nightshift daemon uses ${file}.`,
      'Stop it with "nightshift stop", or set NIGHTSHIFT_HOME to another directory.',
    );
  }
}

/** The lock file has no content of value. Emptying it, unlike removing it, keeps a lock that another process has. */
function acquireRepairing(lockFile: string): () => void {
  try {
    return acquire(lockFile);
  } catch (error) {
    if (!isDamage(error)) throw error;
    truncateSync(lockFile);
    return acquire(lockFile);
  }
}

function acquire(lockFile: string): () => void {
  const lock = new DatabaseSync(lockFile, { timeout: 0 });
  try {
    lock.exec("begin exclusive");
    return () => lock.close();
  } catch (error) {
    lock.close();
    throw error;
  }
}
