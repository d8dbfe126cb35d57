import { accessSync, constants, lstatSync, opendirSync, statSync, type Dirent } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Right } from "../../../policy/access/path-rules.ts";
import { terminalLine } from "../../../core/text/terminal-text.ts";

// Checks the contents of a requested path. Each result completes a sentence about the path.

/** A quick check of what a person granted, not an exhaustive search: about a tenth of a second. */
const MAX_TREE_ENTRIES = 20_000;

/**
 * Looks for special files and git checkouts, which would give access to the outside. `real` is a resolved path. `checkout`: a
 * directory whose own `.git` is protected otherwise.
 */
export function refuseContents(real: string, right: Right, checkout: string | null = null): string | null {
  return (right === "write" ? refuseGit(real, checkout) : null) ?? refuseTree(real, right, checkout);
}

/** Otherwise the run would start and could not write what it was granted. This also finds read-only file systems. */
export function refuseUnwritable(real: string, right: Right): string | null {
  if (right === "read") return null;
  try {
    accessSync(real, constants.W_OK);
    return null;
  } catch {
    return "cannot be written by the user who runs Nightshift: change its permissions, or grant another directory";
  }
}

/** Commands started by root run as another user, who owns nothing and belongs to no group. */
export function refuseClosed(real: string, right: Right): string | null {
  const found = statSync(real);
  const isDirectory = found.isDirectory();
  const needed = (right === "write" ? 0o6 : 0o4) | (isDirectory ? 0o1 : 0);
  if ((found.mode & needed) === needed) return null;
  const owner = found.uid === 0 ? "root" : `user ${found.uid}`;
  const letters = `r${right === "write" ? "w" : ""}${isDirectory ? "x" : ""}`;
  return `belongs to ${owner} and is not accessible to others, but agents run as a separate user: run \`chmod o+${letters}\` on it, or run Nightshift as its owner`;
}

/**
 * Looks at everything below, upper levels first. Using a socket or a named pipe is not a write to the disk, so a read-only mount
 * does not prevent it.
 */
function refuseTree(real: string, right: Right, checkout: string | null): string | null {
  const folders = [real];
  let remaining = MAX_TREE_ENTRIES;
  for (const folder of folders) {
    if (remaining <= 0) break;
    const entries = listEntries(folder, remaining);
    remaining -= entries.length;
    // Package caches contain repositories that only the package manager uses. In place, a person may use them.
    const isSearched = checkout === null ? dirname(folder) === real : folder !== real;
    if (right === "write" && isSearched && isGitDirectory(entries))
      return `contains the git checkout ${terminalLine(relative(real, folder), 100)}: ${WHY_NOT_GIT}`;
    for (const entry of entries) {
      const path = join(folder, entry.name);
      const kind = specialKind(entry);
      if (kind !== null)
        return `contains the ${kind} ${terminalLine(relative(real, path), 100)}, which gives access to a program outside the sandbox: remove it, or list only the needed subfolders`;
      // The checkout's own git data is protected, and looks like a repository itself.
      if (entry.isDirectory() && path !== `${checkout}/.git`) folders.push(path);
    }
  }
  return null;
}

function isGitDirectory(entries: readonly Dirent[]): boolean {
  const names = new Set(entries.map(({ name }) => name));
  return names.has(".git") || GIT_PARTS.every((part) => names.has(part));
}

const GIT_PARTS = ["HEAD", "objects", "refs"];

function specialKind(entry: Dirent): string | null {
  if (entry.isSocket()) return "socket";
  if (entry.isFIFO()) return "named pipe";
  return entry.isCharacterDevice() || entry.isBlockDevice() ? "device" : null;
}

const WHY_NOT_GIT =
  "agents work in copies of it, and write access to `.git` would let them run code outside the sandbox";

function refuseGit(real: string, checkout: string | null): string | null {
  if (real !== checkout && isGit(real)) return `is a git checkout: ${WHY_NOT_GIT}`;
  const parentCheckout = parentsOf(real).find((parent) => parent !== checkout && isGit(parent));
  if (parentCheckout !== undefined)
    return `is inside the git checkout ${terminalLine(parentCheckout, 300)}: ${WHY_NOT_GIT}`;
  return null;
}

/** Whether this is a checkout or the inside of a git directory. A bare repository has the same parts under another name. */
function isGit(dir: string): boolean {
  const has = (name: string): boolean => exists(join(dir, name));
  return has(".git") || GIT_PARTS.every(has);
}

function parentsOf(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...parentsOf(parent)];
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A file, or a directory that we may not enter. The run may not enter it either.
    return false;
  }
}

/** Empty if it is a file or is unreadable. */
function listEntries(path: string, max: number): readonly Dirent[] {
  const entries: Dirent[] = [];
  try {
    const dir = opendirSync(path);
    try {
      for (let entry = dir.readSync(); entry !== null && entries.length < max; entry = dir.readSync()) {
        entries.push(entry);
      }
    } finally {
      dir.closeSync();
    }
  } catch {
    return entries;
  }
  return entries;
}
