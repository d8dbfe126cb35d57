import {
  closeSync,
  createReadStream,
  createWriteStream,
  mkdirSync,
  openSync,
  readSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join, normalize } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { UserError } from "../../../core/text/errors.ts";
import { isInside, type SelectedFile } from "./select-files.ts";

/**
 * A backup is a copy of the database with two more tables, compressed by gzip, whose checksum detects damage. Files are split
 * into parts, because neither memory nor a row can hold any file.
 */
const SCHEMA = `
  create table nightshift_backup (name text primary key, value text not null);
  create table nightshift_backup_files (
    path text not null, part integer not null, kind text not null, mode integer, target text, data blob,
    primary key (path, part)
  );
`;
const PART_BYTES = 8_000_000;
const FORMAT = 1;

export interface Manifest {
  /** Version of Nightshift that made the backup. */
  readonly version: string;
  readonly createdAt: string;
}

/** Adds the files to a copy of the database. Returns how many still existed. */
export function addFiles(database: DatabaseSync, home: string, files: readonly SelectedFile[]): number {
  const insert = database.prepare("insert into nightshift_backup_files values (?, ?, ?, ?, ?, ?)");
  const buffer = Buffer.allocUnsafe(PART_BYTES);
  let count = 0;
  for (const file of files) {
    const { kind, path } = file;
    if (kind === "link") insert.run(path, 0, kind, null, file.target, null);
    else if (kind === "folder") insert.run(path, 0, kind, file.mode, null, null);
    else if (addParts(join(home, path), buffer, (part, data) => insert.run(path, part, kind, file.mode, null, data)))
      count += 1;
  }
  return count;
}

/** Returns false if the file was removed meanwhile. */
function addParts(file: string, buffer: Buffer, add: (part: number, data: Buffer) => void): boolean {
  let handle: number;
  try {
    handle = openSync(file, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
  try {
    for (let part = 0; ; part += 1) {
      const length = readSync(handle, buffer, 0, PART_BYTES, part * PART_BYTES);
      if (length > 0 || part === 0) add(part, buffer.subarray(0, length));
      if (length < PART_BYTES) return true;
    }
  } finally {
    closeSync(handle);
  }
}

export function writeManifest(database: DatabaseSync, { version, createdAt }: Manifest): void {
  database.exec(SCHEMA);
  const insert = database.prepare("insert into nightshift_backup values (?, ?)");
  for (const [name, value] of Object.entries({ format: FORMAT, version, created_at: createdAt }))
    insert.run(name, String(value));
}

/** Throws UserError if the file is not a backup, or one of a newer Nightshift. */
export function readManifest(database: DatabaseSync, file: string): Manifest {
  let rows: Map<string, string>;
  try {
    const found = database.prepare("select name, value from nightshift_backup").all();
    rows = new Map(found.map((row) => [String(row["name"]), String(row["value"])]));
  } catch {
    throw notABackup(file);
  }
  const version = rows.get("version") ?? "unknown";
  if (Number(rows.get("format")) > FORMAT) throw madeByNewer(file, version);
  return { version, createdAt: rows.get("created_at") ?? "" };
}

export function notABackup(file: string): UserError {
  return new UserError(
    "invalid",
    `${file} is not a backup of Nightshift, or it is damaged or incomplete.`,
    'Use a file that "nightshift backup" wrote. Nothing was changed.',
  );
}

export function madeByNewer(file: string, version: string): UserError {
  return new UserError(
    "conflict",
    `${file} was made by a newer version of Nightshift (${version}).`,
    "Install that version or a later one. Nothing was changed.",
  );
}

/** Writes the files below `to`, and removes them from the database. Links lead to `home`. Returns the number of files. */
export function extractFiles(database: DatabaseSync, to: string, home: string): number {
  let count = 0;
  const links: string[] = [];
  // Links come last, so that nothing is written through a link of the backup. Folders come before what they contain.
  const order = "kind = 'link', path, part";
  for (const row of database.prepare(`select * from nightshift_backup_files order by ${order}`).iterate()) {
    const path = checkInside(row["path"]);
    const mode = Number(row["mode"]);
    if (links.some((link) => path.startsWith(`${link}/`))) throw outsideHome();
    mkdirSync(dirname(join(to, path)), { recursive: true, mode: 0o700 });
    if (row["kind"] === "link") {
      symlinkSync(join(home, checkInside(row["target"])), join(to, path));
      links.push(path);
    }
    if (row["kind"] === "folder") mkdirSync(join(to, path), { mode });
    if (row["kind"] === "file")
      appendPart(join(to, path), row["part"] === 0 ? "wx" : "a", mode, row["data"] as Uint8Array);
    if (row["kind"] === "file" && row["part"] === 0) count += 1;
  }
  database.exec("drop table nightshift_backup_files; drop table nightshift_backup");
  return count;
}

function checkInside(path: unknown): string {
  if (typeof path === "string" && isInside(path)) return normalize(path);
  throw outsideHome();
}

function outsideHome(): UserError {
  return new UserError("invalid", "The backup contains a path outside of Nightshift's home. Nothing was changed.");
}

function appendPart(file: string, flags: "wx" | "a", mode: number, data: Uint8Array): void {
  const handle = openSync(file, flags, mode);
  try {
    for (let written = 0; written < data.length;) written += writeSync(handle, data, written);
  } finally {
    closeSync(handle);
  }
}

export async function compress(from: string, to: string): Promise<void> {
  await pipeline(
    createReadStream(from),
    createGzip(),
    createWriteStream(to, { flags: "wx", mode: 0o600, flush: true }),
  );
}

/** Throws UserError if the file cannot be read or is damaged. */
export async function decompress(from: string, to: string): Promise<void> {
  try {
    await pipeline(createReadStream(from), createGunzip(), createWriteStream(to, { flags: "wx", mode: 0o600 }));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ENOENT") throw new UserError("not_found", `${from} does not exist.`);
    if (code.startsWith("Z_") || code === "ERR_STREAM_PREMATURE_CLOSE" || code === "EISDIR") throw notABackup(from);
    throw error;
  }
}
