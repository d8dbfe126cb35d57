import { readdirSync, statSync } from "node:fs";
import type { HomePaths } from "../config/files/paths.ts";
import { UserError } from "../core/text/errors.ts";

/**
 * Refuses an empty database if there are runs. A disk failure can empty the file; it would then be taken for a new database,
 * and the workspaces of all tasks would be removed as leftovers.
 */
export function requireFilledDatabase({ db, runs }: Pick<HomePaths, "db" | "runs">): void {
  if (statSync(db, { throwIfNoEntry: false })?.size !== 0 || !hasEntries(runs)) return;
  throw new UserError(
    "unavailable",
    `The database ${db} is empty, but ${runs} has runs of earlier tasks.`,
    "Restore a backup with `nightshift restore <file> --force`. To start without the earlier tasks, remove both.",
  );
}

function hasEntries(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}
