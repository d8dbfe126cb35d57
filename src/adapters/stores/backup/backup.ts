import { randomBytes } from "node:crypto";
import { existsSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { UserError } from "../../../core/text/errors.ts";
import { addFiles, compress, writeManifest } from "./archive.ts";
import { isInside, LEFT_OUT, selectFiles } from "./select-files.ts";

export interface BackupParams {
  readonly home: string;
  /** The database in the home. */
  readonly db: string;
  /** The file to write. It must not exist. */
  readonly file: string;
  readonly version: string;
  readonly now: number;
}

export interface BackupResult {
  readonly file: string;
  readonly bytes: number;
  readonly tasks: number;
  readonly files: number;
  readonly leftOut: readonly string[];
}

const BUSY_TIMEOUT_MS = 30_000;

/**
 * Writes all data that cannot be created again into one private file. The copy of the database is consistent even while a
 * daemon writes to it, and the files are copied after it.
 */
export async function createBackup({ home, db, file, version, now }: BackupParams): Promise<BackupResult> {
  const target = checkTarget(home, file);
  if (!existsSync(db))
    throw new UserError("not_found", `There is nothing to back up: ${db} does not exist.`, "Check NIGHTSHIFT_HOME.");
  // The names end in .partial, so that no backup contains the leftovers of one that was interrupted.
  const copy = `${target}.${randomBytes(4).toString("hex")}.db.partial`;
  const partial = `${target}.${randomBytes(4).toString("hex")}.partial`;
  try {
    copyDatabase(db, copy);
    const counts = fillCopy(copy, { home, version, now });
    await compress(copy, partial);
    renameSync(partial, target);
    return { file: target, bytes: statSync(target).size, ...counts, leftOut: LEFT_OUT };
  } finally {
    for (const leftover of [copy, `${copy}-journal`, partial]) rmSync(leftover, { force: true });
  }
}

/** Resolves the folder, so that a link cannot lead back into the home. */
function checkTarget(home: string, file: string): string {
  let target: string;
  try {
    target = join(realpathSync(dirname(file)), basename(file));
  } catch {
    throw new UserError("invalid", `The folder ${dirname(file)} does not exist.`, "Create it, or use another folder.");
  }
  if (existsSync(target))
    throw new UserError("conflict", `${target} already exists.`, "Use a file name that does not exist yet.");
  if (isInside(relative(home, target)))
    throw new UserError(
      "invalid",
      `${target} is inside Nightshift's home, and would be lost together with it.`,
      "Use a folder outside of it, best on another disk.",
    );
  return target;
}

/** `vacuum into` reads one snapshot, including what is only in the write-ahead log. */
function copyDatabase(db: string, copy: string): void {
  const database = new DatabaseSync(db, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  const before = process.umask(0o077);
  try {
    database.prepare("vacuum into ?").run(copy);
  } finally {
    process.umask(before);
    database.close();
  }
}

function fillCopy(
  copy: string,
  { home, version, now }: Pick<BackupParams, "home" | "version" | "now">,
): { readonly tasks: number; readonly files: number } {
  const database = new DatabaseSync(copy);
  try {
    // A crash makes the copy useless anyway.
    database.exec("pragma journal_mode = off; pragma synchronous = off; begin");
    writeManifest(database, { version, createdAt: new Date(now).toISOString() });
    const active = database.prepare("select id from runs where finished_at is null").all();
    const files = addFiles(database, home, selectFiles(home, new Set(active.map((row) => String(row["id"])))));
    const tasks = Number(database.prepare("select count(*) as tasks from tasks").get()?.["tasks"] ?? 0);
    database.exec("commit");
    return { tasks, files };
  } finally {
    database.close();
  }
}
