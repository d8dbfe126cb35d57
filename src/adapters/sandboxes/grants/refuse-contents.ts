import { lstatSync, opendirSync, statSync, type Dirent } from "node:fs";
import { dirname, join } from "node:path";
import type { Right } from "../../../policy/access/path-rules.ts";
import { terminalLine } from "../../../core/text/terminal-text.ts";

/** Why no run may have what is at a path, though its name says nothing against it. Each is the end of a sentence about it. */

/** A look at what a person granted, not a search: whoever hides a door deeper must have wanted it there. */
const MOST_ENTRIES = 1_000;

/** Doors that stand open inside of what is asked for. `real` is a resolved path. */
export function refuseContents(real: string, right: Right): string | null {
  const entries = listEntries(real);
  return refuseSockets(entries) ?? (right === "write" ? refuseGit(real, entries) : null);
}

/** What root starts runs as a user of its own, who owns nothing and belongs to no group. */
export function refuseClosed(real: string, right: Right): string | null {
  const found = statSync(real);
  const isDirectory = found.isDirectory();
  const needed = (right === "write" ? 0o6 : 0o4) | (isDirectory ? 0o1 : 0);
  if ((found.mode & needed) === needed) return null;
  const owner = found.uid === 0 ? "root" : `user ${found.uid}`;
  const letters = `r${right === "write" ? "w" : ""}${isDirectory ? "x" : ""}`;
  return `belongs to ${owner} and is closed to others: agents run as a user of their own; \`chmod o+${letters}\` it, or run Nightshift as its owner`;
}

/** To connect is no writing: a mount that can only be read does not stop it. */
function refuseSockets(entries: readonly Dirent[]): string | null {
  const socket = entries.find((entry) => entry.isSocket());
  if (socket === undefined) return null;
  return `holds the socket ${terminalLine(socket.name, 100)}, and whoever reaches a socket talks to a program outside: name the folders in it that are needed`;
}

const WHY_NOT_GIT = "agents work in copies of it, and whoever may write `.git` runs code outside of the sandbox";

function refuseGit(real: string, entries: readonly Dirent[]): string | null {
  if (isGit(real)) return `is a git checkout: ${WHY_NOT_GIT}`;
  const around = parentsOf(real).find(isGit);
  if (around !== undefined) return `lies in the git checkout ${terminalLine(around, 300)}: ${WHY_NOT_GIT}`;
  const held = entries.find((entry) => entry.isDirectory() && isGit(join(real, entry.name)));
  if (held !== undefined) return `holds the git checkout ${terminalLine(held.name, 100)}: ${WHY_NOT_GIT}`;
  return null;
}

/** A checkout, or what is in its `.git`; that of a bare repository has the same parts and another name. */
function isGit(dir: string): boolean {
  const has = (name: string): boolean => isThere(join(dir, name));
  return has(".git") || ["HEAD", "objects", "refs"].every(has);
}

function parentsOf(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...parentsOf(parent)];
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A file, or a directory that we may not enter: whoever runs as we do may not either.
    return false;
  }
}

/** None where it is a file, or may not be read. */
function listEntries(path: string): readonly Dirent[] {
  const entries: Dirent[] = [];
  try {
    const dir = opendirSync(path);
    try {
      for (let entry = dir.readSync(); entry !== null && entries.length < MOST_ENTRIES; entry = dir.readSync()) {
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
