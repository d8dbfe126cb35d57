import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync } from "node:fs";
import type { Stats } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { bytesOf } from "../read/changes.ts";
import type { Changes } from "../read/changes.ts";
import type { TreePaths } from "../context.ts";
import { replaceFile } from "../git-dir.ts";
import { readPieces } from "../read/read-entry.ts";
import type { FileEntry } from "../read/read-entry.ts";
import { isCode } from "../mirror/locks.ts";

/** Path (one character per byte) to state: mode and hash, or "none" if there is no file. */
type SetupRecord = ReadonlyMap<string, string>;

const NONE = "none";
/** Larger files cannot be part of a change, so size and times are sufficient. */
const MAX_HASHED_BYTES = 100 * 1024 * 1024;
/** Smaller files are read at once, larger ones in pieces. */
const SMALL_FILE_BYTES = 1024 * 1024;
const AT_ONCE = 50;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Stored next to the index, out of the agent's reach, and synced to disk because the agent starts after this. */
export async function saveSetupRecord(paths: TreePaths, changes: Changes): Promise<void> {
  const note = await readStates(paths.tree, changes.written);
  for (const path of changes.deleted) note.set(path, NONE);
  await replaceFile(paths.setup, JSON.stringify([...note]), { durable: true });
}

/** Removes paths that are exactly as set-up left them. Only files that differ from the start are examined. */
export async function excludeSetupChanges(paths: TreePaths, changes: Changes): Promise<Changes> {
  const note = await readSetupRecord(paths);
  if (note.size === 0) return changes;
  const now = await readStates(
    paths.tree,
    changes.written.filter((path) => note.has(path)),
  );
  return {
    ...changes,
    deleted: changes.deleted.filter((path) => note.get(path) !== NONE),
    written: changes.written.filter((path) => !now.has(path) || now.get(path) !== note.get(path)),
  };
}

async function readSetupRecord(paths: TreePaths): Promise<SetupRecord> {
  try {
    // Only we write this file, atomically.
    return new Map(JSON.parse(await readFile(paths.setup, "utf8")) as [string, string][]);
  } catch (error) {
    if (isCode(error, "ENOENT")) return new Map();
    throw error;
  }
}

async function readStates(tree: string, files: readonly string[]): Promise<Map<string, string>> {
  const root = await realpath(tree);
  const states = new Map<string, string>();
  for (const [at, path] of files.entries()) {
    states.set(path, (await readState(root, path)) ?? NONE);
    if (at % AT_ONCE === AT_ONCE - 1) await nextTurn();
  }
  return states;
}

/** State as a commit would store it: the mode is reduced to the owner's execute bit. Null if it is neither a file nor a link. */
async function readState(root: string, path: string): Promise<string | null> {
  const name = bytesOf(root, path);
  const found = statNow(name);
  if (found?.isSymbolicLink() === true) return `link ${sha256(readlinkSync(name, { encoding: "buffer" }))}`;
  if (found?.isFile() !== true) return null;
  if (found.size > MAX_HASHED_BYTES) return `large ${found.size} ${found.mtimeMs} ${found.ino}`;
  const hash = hashNow(name, found.size) ?? (await hashInPieces(root, { path, size: found.size }));
  return `${found.mode & 0o100 ? "executable" : "file"} ${hash}`;
}

function statNow(name: Buffer): Stats | null {
  try {
    return lstatSync(name);
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}

/**
 * Synchronous, because promises would take five times as long. Returns null for files that need to be read in pieces or
 * opened carefully. Tricking this into reading a file outside the checkout gains nothing: only we see the hash.
 */
function hashNow(name: Buffer, size: number): string | null {
  if (size > SMALL_FILE_BYTES) return null;
  try {
    const file = openSync(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      return fstatSync(file).isFile() ? sha256(readFileSync(file)) : null;
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

async function hashInPieces(root: string, entry: FileEntry): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of readPieces(root, entry)) hash.update(piece);
  return hash.digest("hex");
}

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
