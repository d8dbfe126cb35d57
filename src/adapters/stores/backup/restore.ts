import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { acquireLock } from "../sqlite/lock.ts";
import { inspectDatabase } from "../sqlite/inspect.ts";
import { UserError } from "../../../core/text/errors.ts";
import { decompress, extractFiles, madeByNewer, notABackup, readManifest, type Manifest } from "./archive.ts";

export interface RestoreParams {
  readonly home: string;
  /** The database in the home. */
  readonly db: string;
  readonly file: string;
  /** Moves existing data aside instead of refusing. */
  readonly force: boolean;
  readonly now: number;
}

export interface RestoreResult extends Manifest {
  readonly tasks: number;
  readonly files: number;
  /** Where the existing data was moved. Null if there was none. */
  readonly movedTo: string | null;
}

/** Entries of a home that hold no data, or that the restore itself uses. */
const NO_DATA = /^(?:logs|path\.json|daemon\.json|s|nightshift\.db\.lock(?:-.*)?|before-restore-.*|\.restore-.*)$/;

/**
 * Replaces the data in Nightshift's home with that of a backup. The backup is unpacked and checked in a temporary folder first,
 * so that a damaged one changes nothing. The database is moved last.
 */
export async function restoreBackup({ home, db, file, force, now }: RestoreParams): Promise<RestoreResult> {
  const existing = readdirSync(home).filter((name) => !NO_DATA.test(name));
  if (existing.length > 0 && !force)
    throw new UserError(
      "conflict",
      `${home} already contains data: ${existing.slice(0, 5).join(", ")}.`,
      'Set NIGHTSHIFT_HOME to a new folder, or add "--force": the existing data is then moved into a folder next to it.',
    );
  const release = acquireLock(db, `${db}.lock`);
  const staging = join(home, `.restore-${randomBytes(4).toString("hex")}`);
  try {
    mkdirSync(staging, { mode: 0o700 });
    const unpacked = await unpack(file, staging, home);
    const movedTo = existing.length === 0 ? null : moveAside(home, existing, now);
    const names = readdirSync(join(staging, "files"));
    for (const name of names) move(join(staging, "files", name), join(home, name));
    renameSync(join(staging, "nightshift.db"), db);
    return { ...unpacked, movedTo };
  } finally {
    rmSync(staging, { recursive: true, force: true });
    release();
  }
}

async function unpack(file: string, staging: string, home: string): Promise<Omit<RestoreResult, "movedTo">> {
  const copy = join(staging, "nightshift.db");
  await decompress(file, copy);
  const database = openCopy(copy, file);
  try {
    const manifest = readManifest(database, file);
    checkDatabase(database, copy, file);
    mkdirSync(join(staging, "files"), { mode: 0o700 });
    const files = extractFiles(database, join(staging, "files"), home);
    // The sessions are in the agents' homes, which are not in the backup.
    database.exec("update runs set session_id = null where session_id is not null; vacuum");
    const tasks = Number(database.prepare("select count(*) as tasks from tasks").get()?.["tasks"] ?? 0);
    return { ...manifest, tasks, files };
  } finally {
    database.close();
  }
}

function openCopy(copy: string, file: string): DatabaseSync {
  try {
    const database = new DatabaseSync(copy);
    database.exec("pragma journal_mode = delete; select count(*) from sqlite_schema");
    return database;
  } catch {
    throw notABackup(file);
  }
}

/** A backup of an older version is fine: the next start of the daemon migrates it. */
function checkDatabase(database: DatabaseSync, copy: string, file: string): void {
  const problems = database
    .prepare("pragma integrity_check")
    .all()
    .filter((row) => row["integrity_check"] !== "ok");
  if (problems.length > 0) throw notABackup(file);
  const { kind } = inspectDatabase(copy);
  if (kind === "newer") throw madeByNewer(file, readManifest(database, file).version);
  if (kind !== "usable") throw notABackup(file);
}

/** The data stays on the same disk and in the private home, so that a mistake can be undone. */
function moveAside(home: string, names: readonly string[], now: number): string {
  const folder = join(home, `before-restore-${new Date(now).toISOString().replaceAll(/[:.]/g, "-")}`);
  mkdirSync(folder, { mode: 0o700 });
  for (const name of names) renameSync(join(home, name), join(folder, name));
  return folder;
}

/** Folders without data, such as `logs`, can exist already. Their new files are added. */
function move(from: string, to: string): void {
  if (!existsSync(to)) return renameSync(from, to);
  for (const name of readdirSync(from)) renameSync(join(from, name), join(to, name));
}
