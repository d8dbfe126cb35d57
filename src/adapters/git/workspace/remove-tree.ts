import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { readdir, rename, rmdir } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isCode } from "../mirror/turns.ts";

const SLASH = Buffer.from("/");
/** Paths longer than what the system takes (1,024 bytes on macOS, 4,096 on Linux) cannot be named; stay well below. */
const LONGEST_PATH = 900;
const AT_ONCE = 100;

/**
 * Removes a file or a directory with everything in it: names that are not text, directories without permissions, and
 * nesting deeper than any path can name. Links are removed, never followed. What is not there is fine.
 */
export async function removeTree(path: string): Promise<void> {
  const root = Buffer.from(path);
  const kind = lstatSync(root, { throwIfNoEntry: false });
  if (!kind) return;
  if (!kind.isDirectory()) return unlinkNow(root);
  // Emptied in two passes over one list: parents come before their children, so the list is removed from its end.
  const directories: Buffer[] = [root];
  for (let next = 0; next < directories.length; next++) {
    const directory = directories[next];
    if (directory) directories.push(...(await emptyDirectory(directory, root)));
  }
  for (const directory of directories.toReversed()) await rmdir(directory).catch(ignoreMissing);
}

/** Unlinks what is not a directory and returns the directories, those too deep to be named moved up to the root. */
async function emptyDirectory(directory: Buffer, root: Buffer): Promise<Buffer[]> {
  // Without write permission the listing works and the unlinking fails, so the mode is set before, not after.
  makeUsableNow(directory);
  const inside: Buffer[] = [];
  const entries = await readdir(directory, { withFileTypes: true, encoding: "buffer" });
  for (const [at, entry] of entries.entries()) {
    const path = Buffer.concat([directory, SLASH, entry.name]);
    if (entry.isDirectory()) inside.push(await raise(path, root));
    else unlinkNow(path);
    if (at % AT_ONCE === AT_ONCE - 1) await nextTurn();
  }
  return inside;
}

async function raise(path: Buffer, root: Buffer): Promise<Buffer> {
  if (path.length < root.length + LONGEST_PATH) return path;
  const raised = Buffer.concat([root, SLASH, Buffer.from(`.raised-${randomBytes(8).toString("hex")}`)]);
  makeUsableNow(path);
  await rename(path, raised);
  return raised;
}

// A promise for each of these would take six times as long; `AT_ONCE` of them hold up nobody. Listing and removing directories
// may wait for the disk, and with it everybody else: those stay promises.

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
