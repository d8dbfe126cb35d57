import { closeSync, constants, existsSync, lstatSync, openSync, realpathSync } from "node:fs";
import type { Stats } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { isCode } from "../mirror/turns.ts";

/** Why a file of a workspace is not read; the sentence goes on after the file's name. */
export interface Unread {
  readonly kind: "unread";
  readonly problem: "missing" | "path" | "link" | "special" | "unreadable" | "hard_link" | "too_large" | "changed";
  readonly why: string;
}

export type Opened = { readonly kind: "opened"; readonly handle: FileHandle } | Unread;

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const LONGEST_PATH = 64 * 1024;
const SLASH = 0x2f;

/**
 * Opens a regular file below `root`, and only where its name says: through no link at its end or on its way, also not through one
 * that is put there meanwhile. Nothing waits for whoever holds the other end of a pipe. Names need not be text.
 */
export async function openInside(root: string, path: string | Buffer, way = bestWay()): Promise<Opened> {
  const parts = splitPath(Buffer.from(path));
  if (parts === null) return unread("path", "is no relative path of plain names");
  try {
    return way === "descriptors" ? await openByDescriptors(root, parts) : await openByNames(root, parts);
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return unread("missing", "is not there");
    if (isCode(error, "ELOOP", "EMLINK")) return unread("link", "is a symbolic link");
    if (isCode(error, "ENXIO", "ENODEV")) return NO_FILE;
    if (isCode(error, "EACCES", "EPERM")) return unread("unreadable", "may not be read");
    if (isCode(error, "ENAMETOOLONG")) return unread("path", "is longer than any name can be");
    throw error;
  }
}

/** Node has no `openat`; Linux lets a directory that is open be named. */
function bestWay(): "descriptors" | "names" {
  return existsSync("/proc/self/fd") ? "descriptors" : "names";
}

export function unread(problem: Unread["problem"], why: string): Unread {
  return { kind: "unread", problem, why };
}

const NO_FILE = unread("special", "is not a regular file");
const LINK_ON_THE_WAY = unread("link", "lies in a directory that was replaced by a link");

function splitPath(path: Buffer): Buffer[] | null {
  if (path.length === 0 || path.length > LONGEST_PATH || path.includes(0)) return null;
  const parts: Buffer[] = [];
  for (let start = 0; start <= path.length;) {
    const slash = path.indexOf(SLASH, start);
    const end = slash < 0 ? path.length : slash;
    parts.push(path.subarray(start, end));
    start = end + 1;
  }
  return parts.some((part) => ["", ".", ".."].includes(part.toString("latin1"))) ? null : parts;
}

/** Directory by directory, each opened in the one before: what is renamed meanwhile leads nowhere else, and no path is too long. */
async function openByDescriptors(root: string, parts: readonly Buffer[]): Promise<Opened> {
  let directory = openSync(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    for (const part of parts.slice(0, -1)) {
      const name = within(directory, part);
      // Asked first: of a link that is opened as a directory the kernel only says that it is none.
      if (lstatSync(name).isSymbolicLink()) return LINK_ON_THE_WAY;
      const next = openSync(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      closeSync(directory);
      directory = next;
    }
    return await openRegular(within(directory, parts.at(-1) ?? Buffer.alloc(0)));
  } finally {
    closeSync(directory);
  }
}

function within(directory: number, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${directory}/`), name]);
}

/** Without descriptors of directories to go by: where the name leads is looked at before and after. */
async function openByNames(root: string, parts: readonly Buffer[]): Promise<Opened> {
  const name = Buffer.concat([
    realpathSync.native(root, "buffer"),
    ...parts.flatMap((part) => [Buffer.of(SLASH), part]),
  ]);
  const parent = name.subarray(0, name.lastIndexOf(SLASH));
  const isStraight = (): boolean => realpathSync.native(parent, "buffer").equals(parent);
  if (!isStraight()) return LINK_ON_THE_WAY;
  const opened = await openRegular(name);
  if (opened.kind === "unread") return opened;
  if (isStraight() && isSame(lstatSync(name), await opened.handle.stat())) return opened;
  await opened.handle.close();
  return unread("changed", "was replaced while it was being opened");
}

async function openRegular(name: Buffer): Promise<Opened> {
  // To open some devices is to do something with them.
  const found = lstatSync(name);
  if (found.isSymbolicLink()) return unread("link", "is a symbolic link");
  if (!found.isFile()) return NO_FILE;
  const handle = await open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if ((await handle.stat()).isFile()) return { kind: "opened", handle };
  await handle.close();
  return NO_FILE;
}

function isSame(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}
