import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { readdir, rename, rmdir } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isCode } from "../mirror/locks.ts";

const SLASH = Buffer.from("/");
/** The system rejects longer paths (1,024 bytes on macOS, 4,096 on Linux); stay well below. */
const MAX_PATH_BYTES = 900;
const AT_ONCE = 100;

/**
 * Removes a file or a directory recursively, including names that are not text, directories without permissions, and nesting
 * deeper than the path limit. Links are removed, never followed. A missing path is fine.
 */
export async function removeTree(path: string): Promise<void> {
  const root = Buffer.from(path);
  const kind = lstatSync(root, { throwIfNoEntry: false });
  if (!kind) return;
  if (!kind.isDirectory()) return unlinkNow(root);
  // Parents precede their children in the list, so the directories are removed from its end.
  const directories: Buffer[] = [root];
  for (let next = 0; next < directories.length; next++) {
    const directory = directories[next];
    if (directory) directories.push(...(await emptyDirectory(directory, root)));
  }
  for (const directory of directories.toReversed()) await rmdir(directory).catch(ignoreMissing);
}

/** Unlinks everything except directories and returns the directories. Those that are too deep are first moved to the root. */
async function emptyDirectory(directory: Buffer, root: Buffer): Promise<Buffer[]> {
  // Without write permission, listing works but unlinking fails, so set the mode first.
  makeUsableNow(directory);
  const inside: Buffer[] = [];
  const entries = await readdir(directory, { withFileTypes: true, encoding: "buffer" });
  for (const [at, entry] of entries.entries()) {
    const path = Buffer.concat([directory, SLASH, entry.name]);
    if (entry.isDirectory()) inside.push(await moveToRoot(path, root));
    else unlinkNow(path);
    if (at % AT_ONCE === AT_ONCE - 1) await nextTurn();
  }
  return inside;
}

async function moveToRoot(path: Buffer, root: Buffer): Promise<Buffer> {
  if (path.length < root.length + MAX_PATH_BYTES) return path;
  const raised = Buffer.concat([root, SLASH, Buffer.from(`.raised-${randomBytes(8).toString("hex")}`)]);
  makeUsableNow(path);
  await rename(path, raised);
  return raised;
}

// These calls are synchronous because promises would take six times as long, and a batch of `AT_ONCE` blocks only briefly.
// Listing and removing directories may wait for the disk, so those stay asynchronous.

function makeUsableNow(directory: Buffer): void {
  const { mode } = lstatSync(directory);
  if ((mode & 0o700) !== 0o700) chmodSync(directory, 0o700);
}

function unlinkNow(path: Buffer): void {
  try {
    unlinkSync(path);
  } catch (error) {
    ignoreMissing(error);
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!isCode(error, "ENOENT")) throw error;
}
