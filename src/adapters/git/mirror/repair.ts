import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { rescuePath } from "../context.ts";
import { exists, repairGitDir, type GitDirParams } from "../git-dir.ts";
import { removeTree } from "../workspace/remove-tree.ts";

/** Exists in a mirror with objects that cannot be read. */
const MARK = "nightshift-damaged";

/** The next sync fetches all objects of the mirror again. */
export async function markDamaged(mirror: string): Promise<void> {
  await writeFile(join(mirror, MARK), "");
}

/** Whether git complains about objects that it has but cannot read. */
export function showsDamage(stderr: string): boolean {
  return /object file .* is empty|is corrupt|inflate|too small|cannot be mapped|does not match index/.test(stderr);
}

export async function isMarkedDamaged(mirror: string): Promise<boolean> {
  return exists(join(mirror, MARK));
}

export function rescueDirParams(mirror: string): GitDirParams {
  return { head: "none", bare: true, alternate: join(mirror, "objects") };
}

/**
 * Removes what a power cut left unusable, so that a fetch can replace it. Rescued work stays: the remote does not have it, and
 * the objects that it shares with the mirror are fetched again.
 */
export async function removeDamage(mirror: string): Promise<void> {
  const rescue = rescuePath(mirror);
  await removeTree(join(mirror, "refs/remotes"));
  await keepOtherRefs(join(mirror, "packed-refs"));
  await removeEmptyFiles(join(mirror, "objects"));
  await rm(join(mirror, MARK), { force: true });
  if (!(await exists(rescue))) return;
  await removeEmptyFiles(rescue);
  await repairGitDir(rescue, rescueDirParams(mirror));
}

async function keepOtherRefs(packedRefs: string): Promise<void> {
  const lines = (await readFile(packedRefs, "utf8").catch(() => "")).split("\n");
  const others = lines.filter((line) => /^[0-9a-f]{40} (?!refs\/remotes\/)/.test(line));
  await writeFile(packedRefs, others.map((line) => `${line}\n`).join(""));
}

/** An empty pack makes its index useless, too. */
async function removeEmptyFiles(dir: string): Promise<void> {
  const files = await readdir(dir, { recursive: true, withFileTypes: true });
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    if (!file.isFile() || (await stat(path).catch(() => null))?.size !== 0) continue;
    const pack = /^pack-[0-9a-f]+\./.exec(file.name)?.[0];
    if (pack === undefined) await rm(path, { force: true });
    else for (const part of ["pack", "idx", "rev"]) await rm(join(dirname(path), pack + part), { force: true });
  }
}
