import { constants } from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import type { FileChange, FileSide } from "../../core/change/file-change.ts";
import { containsGitDirectory } from "../git/names.ts";

/** Why this file cannot be written safely, to complete a sentence about it. Null if it can. */
export async function refuseFile(root: string, change: FileChange): Promise<string | null> {
  const { path, after } = change;
  if (/\\x[0-9a-f]{2}/i.test(path)) return "has a name that is not text";
  if (containsGitDirectory(Buffer.from(path).toString("latin1"))) return "is git's own data";
  if (after?.kind === "submodule" || change.before?.kind === "submodule") return "is a submodule";
  if (after !== null && after.content === null) return "is too large";
  if (after?.kind === "link" && leadsOutside(path, textOf(after))) return "is a link that leads out of the directory";
  return refuseParents(root, path);
}

function leadsOutside(path: string, target: string): boolean {
  return target.startsWith("/") || normalize(join(dirname(path), target)).split("/")[0] === "..";
}

async function refuseParents(root: string, path: string): Promise<string | null> {
  const parts = path.split("/");
  for (const [index] of parts.slice(0, -1).entries()) {
    const parent = parts.slice(0, index + 1).join("/");
    const found = await lstat(join(root, parent)).catch(() => null);
    if (found === null) return null;
    if (found.isSymbolicLink()) return `is below ${parent}, which is a link`;
    if (!found.isDirectory()) return `is below ${parent}, which is a file`;
  }
  const own = await lstat(join(root, path)).catch(() => null);
  if (own === null || own.isFile() || own.isSymbolicLink()) return null;
  return own.isDirectory() ? "is a directory here" : "is neither a file nor a link here";
}

/** What the directory has at the path: the side before the change, the side after it, or something else. */
export async function compareFile(
  root: string,
  { path, before, after }: FileChange,
): Promise<"before" | "after" | "other"> {
  const current = await readCurrent(join(root, path));
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

async function readCurrent(path: string): Promise<Current> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return null;
  if (found.isSymbolicLink()) return { kind: "link", content: Buffer.from(await readlink(path)) };
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { mode } = await handle.stat();
    return { kind: (mode & 0o100) === 0 ? "file" : "executable", content: await handle.readFile() };
  } finally {
    await handle.close();
  }
}

export function textOf({ content }: FileSide): string {
  return Buffer.from(content ?? []).toString();
}
