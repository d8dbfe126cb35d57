import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createInflate } from "node:zlib";
import { rescuePath } from "../context.ts";
import { exists, repairGitDir, type GitDirParams } from "../git-dir.ts";
import { runGit } from "../git.ts";
import { removeTree } from "../workspace/remove-tree.ts";

/** Exists in a mirror with objects that cannot be read. */
const MARK = "nightshift-damaged";
const ONE_HOUR = 3_600_000;

/** The next sync fetches all objects of the mirror again. */
export async function markDamaged(mirror: string): Promise<void> {
  await writeFile(join(mirror, MARK), "");
}

const DAMAGE = [
  /object file .* is empty|is corrupt|corrupt loose object|inflate|cannot be mapped|reference broken/,
  /too small|too short to be a packfile|not a GIT packfile|non-monotonic index|does not match index/,
];

/** Whether git complains about objects or refs that it has but cannot read. */
export function showsDamage(stderr: string): boolean {
  return DAMAGE.some((pattern) => pattern.test(stderr));
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
  await removeUnreadableObjects(mirror);
  await rm(join(mirror, MARK), { force: true });
  if (!(await exists(rescue))) return;
  await removeEmptyFiles(rescue);
  await repairGitDir(rescue, rescueDirParams(mirror));
  await removeUnreadableObjects(rescue);
}

async function keepOtherRefs(packedRefs: string): Promise<void> {
  const lines = (await readFile(packedRefs, "utf8").catch(() => "")).split("\n");
  const others = lines.filter((line) => /^[0-9a-f]{40} (?!refs\/remotes\/)/.test(line));
  await writeFile(packedRefs, others.map((line) => `${line}\n`).join(""));
}

async function removeEmptyFiles(dir: string): Promise<void> {
  for (const path of await listFiles(dir))
    if ((await stat(path).catch(() => null))?.size === 0) await rm(path, { force: true });
}

/** Git fetches only objects that it does not have, and it counts those that it cannot read as present. */
export async function removeUnreadableObjects(gitDir: string): Promise<void> {
  for (const path of await listFiles(join(gitDir, "objects"))) {
    const [, pack] = /^(.*\/pack-[0-9a-f]+)\.(?:pack|idx)$/.exec(path) ?? [];
    const [, start = "", rest = ""] = /\/([0-9a-f]{2})\/([0-9a-f]{38,62})$/.exec(path) ?? [];
    if (pack !== undefined && !(await isReadablePack(gitDir, pack))) await removePack(pack, ["pack", "idx", "rev"]);
    if (start !== "" && (await hashLooseObject(path, start + rest)) !== start + rest) await rm(path, { force: true });
  }
}

/** Also writes a new index if only that is damaged. */
async function isReadablePack(gitDir: string, pack: string): Promise<boolean> {
  const succeeds = async (...args: readonly string[]): Promise<boolean> =>
    (await runGit({ gitDir, args, timeoutMs: ONE_HOUR })).code === 0;
  if (await succeeds("verify-pack", `${pack}.idx`)) return true;
  await removePack(pack, ["idx", "rev"]);
  return await succeeds("index-pack", `${pack}.pack`);
}

async function removePack(pack: string, parts: readonly string[]): Promise<void> {
  for (const part of parts) await rm(`${pack}.${part}`, { force: true });
}

/** Returns the hash of the content, which is the object's name, or null if it cannot be read. */
async function hashLooseObject(path: string, name: string): Promise<string | null> {
  const hash = createHash(name.length === 40 ? "sha1" : "sha256");
  try {
    await pipeline(createReadStream(path), createInflate(), hash);
    return hash.digest("hex");
  } catch {
    return null;
  }
}

async function listFiles(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
