import { chmod, chown, lstat, mkdir, realpath, rmdir, unlink } from "node:fs/promises";
import type { Stats } from "node:fs";
import { dirname, join } from "node:path";
import { UserError } from "../../core/text/errors.ts";
import type { InspectedDirectories } from "../../ports/checkout.ts";
import { isCode } from "../git/mirror/locks.ts";

export async function inspectDirectories(root: string, directories: readonly string[]): Promise<InspectedDirectories> {
  const refused = await refuseRoot(root);
  if (refused !== null) return { problems: [refused], existing: [] };
  const problems: string[] = [];
  const existing: string[] = [];
  for (const directory of directories) {
    const found = await followDirectory(root, directory);
    if (found.problem === null) existing.push(found.path);
    else problems.push(`Directory "${directory}" ${found.problem}.`);
  }
  return { problems, existing };
}

/** One level at a time: what exists is checked before anything is created in it. */
export async function makeDirectories(root: string, directories: readonly string[]): Promise<void> {
  for (const directory of directories) {
    let path = root;
    for (const part of partsOf(directory)) {
      path = join(path, part);
      await makeOne(path);
      const problem = refuseKind(await lstat(path), path === join(root, directory));
      if (problem !== null) throw new UserError("invalid", `Directory "${directory}" ${problem}.`);
    }
  }
}

/** bubblewrap creates files without the right to write. An empty file of a person has it. */
export async function removePlaceholders(root: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(root, name);
    const found = await lstatIfExists(path);
    if (found?.isDirectory() === true) await rmdir(path).catch(() => undefined);
    else if (found?.isFile() === true && found.size === 0 && (found.mode & 0o222) === 0) await unlink(path);
  }
}

/** Also detects that a parent was replaced by a link, so that the path now leads elsewhere. */
async function refuseRoot(root: string): Promise<string | null> {
  try {
    const real = await realpath(root);
    if (real !== root) return `${root} is a link to ${real} now. The project was registered as a directory.`;
    return (await lstat(root)).isDirectory() ? null : `${root} is not a directory any more.`;
  } catch (error) {
    return isMissing(error) ? `${root} does not exist any more.` : `${root} cannot be read: ${String(error)}.`;
  }
}

interface Followed {
  /** The part of the path that exists. */
  readonly path: string;
  /** Completes a sentence about the directory. */
  readonly problem: string | null;
}

async function followDirectory(root: string, directory: string): Promise<Followed> {
  let path = root;
  for (const part of partsOf(directory)) {
    const next = join(path, part);
    const found = await lstatIfExists(next);
    if (found === null) break;
    const problem = refuseKind(found, next === join(root, directory));
    if (problem !== null) return { path, problem };
    path = next;
  }
  return { path, problem: null };
}

function refuseKind(found: Stats, isLast: boolean): string | null {
  if (found.isDirectory()) return null;
  if (found.isSymbolicLink()) return `${isLast ? "is" : "leads through"} a link. Name the directory that it leads to`;
  const kind = found.isFile() ? "file" : found.isFIFO() ? "named pipe" : "socket or a device";
  return `${isLast ? "is" : "leads through"} a ${kind}, not a directory`;
}

/** A new directory is as accessible as the one around it, because root starts agents as another user. */
async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (isCode(error, "EEXIST")) return;
    throw error;
  }
  const { uid, gid, mode } = await lstat(dirname(path));
  await chown(path, uid, gid);
  await chmod(path, mode & 0o7777);
}

function partsOf(directory: string): readonly string[] {
  return directory.split("/").filter((part) => part !== "" && part !== ".");
}

async function lstatIfExists(path: string): Promise<Stats | null> {
  return lstat(path).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}

function isMissing(error: unknown): boolean {
  return isCode(error, "ENOENT", "ENOTDIR");
}
