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
import { isCode } from "../mirror/turns.ts";

/** By path (bytes, one character each) how it stands: mode and hash, or that no file is there. */
type Note = ReadonlyMap<string, string>;

const NONE = "none";
/** Larger files cannot be part of a change anyway; their size and times are enough to go by. */
const LARGEST_HASHED = 100 * 1024 * 1024;
/** Read at once, all others in pieces. */
const SMALL_FILE = 1024 * 1024;
const AT_ONCE = 50;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** It lies beside the tree's index, where no agent gets, and outlives daemon and power cuts: the agent starts after it. */
export async function keepNote(paths: TreePaths, changes: Changes): Promise<void> {
  const note = await readStates(paths.tree, changes.written);
  for (const path of changes.deleted) note.set(path, NONE);
  await replaceFile(paths.setup, JSON.stringify([...note]), { durable: true });
}

/** A path that is exactly as set-up left it is nobody's work. Only what differs from the start is looked at. */
export async function withoutSetup(paths: TreePaths, changes: Changes): Promise<Changes> {
  const note = await readNote(paths);
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

async function readNote(paths: TreePaths): Promise<Note> {
  try {
    // Written by us alone, in one step.
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

/** As the commit would hold it: of the mode, only the owner's right to execute means anything. Null: no file, no link. */
async function readState(root: string, path: string): Promise<string | null> {
  const name = bytesOf(root, path);
  const found = statNow(name);
  if (found?.isSymbolicLink() === true) return `link ${sha256(readlinkSync(name, { encoding: "buffer" }))}`;
  if (found?.isFile() !== true) return null;
  if (found.size > LARGEST_HASHED) return `large ${found.size} ${found.mtimeMs} ${found.ino}`;
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
 * Promises for each of these would take five times as long. Null for what is better read in pieces, or not so easily.
 * Whoever made this read a file that is none of the tree's would gain nothing: the hash is kept and compared by us alone.
 */
function hashNow(name: Buffer, size: number): string | null {
  if (size > SMALL_FILE) return null;
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
