import { closeSync, constants, existsSync, lstatSync, openSync, realpathSync } from "node:fs";
import type { Stats } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { isCode } from "../mirror/locks.ts";

/** Why a file of a workspace was not read. The reason continues a sentence that starts with the file's name. */
export interface Unread {
  readonly kind: "unread";
  readonly problem: "missing" | "path" | "link" | "special" | "unreadable" | "hard_link" | "too_large" | "changed";
  readonly why: string;
}

export type Opened = { readonly kind: "opened"; readonly handle: FileHandle } | Unread;

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const MAX_PATH_BYTES = 64 * 1024;
const SLASH = 0x2f;

/**
 * Opens a regular file below `root` without following links, neither at the end nor in a parent directory, not even links
 * created during the call. Never blocks on a pipe. Names need not be valid text.
 */
export async function openInside(root: string, path: string | Buffer, way = supportedMethod()): Promise<Opened> {
  const parts = splitPath(Buffer.from(path));
  if (parts === null) return unread("path", "is not a plain relative path");
  try {
    return way === "descriptors" ? await openByDescriptors(root, parts) : await openByNames(root, parts);
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return unread("missing", "does not exist");
    if (isCode(error, "ELOOP", "EMLINK")) return unread("link", "is a symbolic link");
    if (isCode(error, "ENXIO", "ENODEV")) return NO_FILE;
    if (isCode(error, "EACCES", "EPERM")) return unread("unreadable", "is not readable");
    if (isCode(error, "ENAMETOOLONG")) return unread("path", "has a name that is too long");
    throw error;
  }
}

/** Node has no `openat`, but on Linux an open directory can be addressed through /proc. */
function supportedMethod(): "descriptors" | "names" {
  return existsSync("/proc/self/fd") ? "descriptors" : "names";
}

export function unread(problem: Unread["problem"], why: string): Unread {
  return { kind: "unread", problem, why };
}

const NO_FILE = unread("special", "is not a regular file");
const LINK_IN_PATH = unread("link", "lies in a directory that was replaced by a link");

function splitPath(path: Buffer): Buffer[] | null {
  if (path.length === 0 || path.length > MAX_PATH_BYTES || path.includes(0)) return null;
  const parts: Buffer[] = [];
  for (let start = 0; start <= path.length;) {
    const slash = path.indexOf(SLASH, start);
    const end = slash < 0 ? path.length : slash;
    parts.push(path.subarray(start, end));
    start = end + 1;
  }
  return parts.some((part) => ["", ".", ".."].includes(part.toString("latin1"))) ? null : parts;
}

/** Opens one directory inside the other, so that a concurrent rename cannot redirect it and no path is too long. */
async function openByDescriptors(root: string, parts: readonly Buffer[]): Promise<Opened> {
  let directory = openSync(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    for (const part of parts.slice(0, -1)) {
      const name = within(directory, part);
      // Checked first: opening a link as a directory only fails with "not a directory".
      if (lstatSync(name).isSymbolicLink()) return LINK_IN_PATH;
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

/** Without descriptors, checks the real path before and after opening. */
async function openByNames(root: string, parts: readonly Buffer[]): Promise<Opened> {
  const name = Buffer.concat([
    realpathSync.native(root, "buffer"),
    ...parts.flatMap((part) => [Buffer.of(SLASH), part]),
  ]);
  const parent = name.subarray(0, name.lastIndexOf(SLASH));
  const isStraight = (): boolean => realpathSync.native(parent, "buffer").equals(parent);
  if (!isStraight()) return LINK_IN_PATH;
  const opened = await openRegular(name);
  if (opened.kind === "unread") return opened;
  if (isStraight() && isSame(lstatSync(name), await opened.handle.stat())) return opened;
  await opened.handle.close();
  return unread("changed", "was replaced while it was being opened");
}

async function openRegular(name: Buffer): Promise<Opened> {
  // Opening some devices has side effects.
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
