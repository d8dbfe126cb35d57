import { DatabaseSync } from "node:sqlite";
import { UserError } from "../../../core/text/errors.ts";
import { explainSqliteError, isBusy } from "./errors.ts";

/**
 * Makes this process the only server of `file`: an exclusive transaction on a side file that never ends.
 * The operating system drops it with the process, however that dies. Nobody else in this process may open
 * and close the side file: that would drop the lock too (POSIX locks belong to the process, not the handle).
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
      "Stop it with `nightshift stop`, or set NIGHTSHIFT_HOME to another directory.",
    );
  }
}
