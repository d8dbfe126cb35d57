import { constants } from "node:fs";
import { lstat, open, readdir, readlink } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import type { FileChange, FileSide } from "../../core/change/file-change.ts";
import { isCode } from "../git/mirror/locks.ts";
import { containsGitDirectory } from "../git/names.ts";

/** Why this file cannot be written to any checkout, to complete a sentence about it. Null if it can. */
export function refuseFile({ path, before, after }: FileChange): string | null {
  if (/\\x[0-9a-f]{2}/i.test(path)) return "has a name that is not text";
  if (containsGitDirectory(Buffer.from(path).toString("latin1"))) return "is git's own data";
  if (after?.kind === "submodule" || before?.kind === "submodule") return "is a submodule";
  if (after !== null && after.content === null) return "is too large";
  if (after?.kind === "link" && leadsOutside(path, textOf(after))) return "is a link that leads out of the directory";
  return null;
}

function leadsOutside(path: string, target: string): boolean {
  return target.startsWith("/") || normalize(join(dirname(path), target)).split("/")[0] === "..";
}

/**
 * Why this file cannot be written to this checkout, to complete a sentence about it. Null if it can. `deleted`: the files that
 * the whole change deletes. They are gone before anything is written, so a file can become a directory and the other way round.
 */
export async function refusePlace(
  root: string,
  { path, after }: FileChange,
  deleted: ReadonlySet<string>,
): Promise<string | null> {
  const parts = path.split("/");
  for (const [index] of parts.slice(0, -1).entries()) {
    const parent = parts.slice(0, index + 1).join("/");
    const found = await lstat(join(root, parent)).catch(() => null);
    if (found === null || (!found.isDirectory() && deleted.has(parent))) return null;
    if (found.isSymbolicLink()) return `is below ${parent}, which is a link`;
    // Then a file to delete is gone already.
    if (!found.isDirectory() && after === null) return null;
    if (!found.isDirectory()) return `is below ${parent}, which is a file`;
  }
  const own = await lstat(join(root, path)).catch(() => null);
  if (own === null || own.isFile() || own.isSymbolicLink()) return null;
  if (!own.isDirectory()) return "is neither a file nor a link here";
  if (after === null) return null;
  return (await isEmptiedBy(root, path, deleted)) ? null : "is a directory here";
}

/** Directories that become empty are removed together with their files. One that is empty already would stay. */
async function isEmptiedBy(root: string, directory: string, deleted: ReadonlySet<string>): Promise<boolean> {
  const entries = await readdir(join(root, directory), { withFileTypes: true });
  for (const entry of entries) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory() ? !(await isEmptiedBy(root, path, deleted)) : !deleted.has(path)) return false;
  }
  return entries.length > 0;
}

/** What the directory has at the path: the side before the change, the side after it, or something else. */
export async function compareFile(
  root: string,
  { path, before, after }: FileChange,
): Promise<"before" | "after" | "other"> {
  const current = await readCurrent(join(root, path), Math.max(before?.bytes ?? 0, after?.bytes ?? 0));
  if (isSame(current, after)) return "after";
  return isSame(current, before) ? "before" : "other";
}

type Current = Pick<FileSide, "kind" | "content"> | null;

function isSame(current: Current, side: FileSide | null): boolean {
  if (current === null || side === null) return current === side;
  return current.kind === side.kind && side.content !== null && current.content !== null
    ? Buffer.from(current.content).equals(side.content)
    : false;
}

/** The content is null if it is unreadable or larger than both sides, which makes it different from them. */
async function readCurrent(path: string, maxBytes: number): Promise<Current> {
  const found = await lstat(path).catch(() => null);
  // `refuseFile` allows a directory only if the change empties it, or if a file was to be deleted there.
  if (found === null || found.isDirectory()) return null;
  if (found.isSymbolicLink()) return { kind: "link", content: Buffer.from(await readlink(path)) };
  const kind = (found.mode & 0o100) === 0 ? "file" : "executable";
  return { kind, content: found.size > maxBytes ? null : await readContent(path) };
}

async function readContent(path: string): Promise<Buffer | null> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isCode(error, "EACCES", "ELOOP", "ENOENT")) return null;
    throw error;
  }
}

export function textOf({ content }: FileSide): string {
  return Buffer.from(content ?? []).toString();
}
