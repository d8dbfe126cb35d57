import { randomBytes } from "node:crypto";
import { readdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import type { GitContext } from "../context.ts";
import { isCode } from "../mirror/locks.ts";
import { mirrorName } from "../names.ts";
import { removeTree } from "../workspace/remove-tree.ts";

/** A file or folder that set-up made. It is stored as `files/<its position>`. */
export interface EntryPart {
  readonly in: "tree" | "home";
  /** Relative to the workspace or the home. */
  readonly path: string;
}

/** What one set-up made. */
export interface Entry {
  readonly keptAt: number;
  /** Where it was made. Some of the files contain these paths. */
  readonly origin: { readonly tree: string; readonly home: string };
  readonly parts: readonly EntryPart[];
  /** Number and size of the stored files, to detect that some are missing. */
  readonly files: number;
  readonly bytes: number;
  /** Text files that contain a path of `origin`, below the entry's folder, with one character per byte. */
  readonly bound: readonly string[];
  /** Links to a path of `origin`. */
  readonly links: readonly string[];
}

export const ENTRY_FILE = "entry.json";
export const MAX_FILES = 300_000;
export const MAX_BYTES = 4_000_000_000;
/** Newer packages, tools and systems are used at the latest after this time. */
const MAX_AGE_MS = 7 * 24 * 3_600_000;
const MAX_ENTRIES = 3;
const UNFINISHED = ".building-";
const REMOVED = ".removed-";

export function entriesDir({ cachesDir }: GitContext, project: string): string {
  return join(cachesDir, mirrorName(project).replace(/\.git$/, ""));
}

export function newBuildingDir(entries: string): string {
  return join(entries, UNFINISHED + randomBytes(6).toString("hex"));
}

/** Returns null if there is none, or if it is too old. Throws if it cannot be read. */
export async function readEntry(dir: string): Promise<Entry | null> {
  try {
    // Only we write this file, and agents cannot reach it.
    const entry = JSON.parse(await readFile(join(dir, ENTRY_FILE), "utf8")) as Entry;
    const age = Date.now() - entry.keptAt;
    return age >= 0 && age < MAX_AGE_MS ? entry : null;
  } catch (error) {
    if (isCode(error, "ENOENT") && !(await exists(dir))) return null;
    throw error;
  }
}

async function exists(dir: string): Promise<boolean> {
  return readdir(dir).then(
    () => true,
    () => false,
  );
}

/** Renamed first, so that a crash leaves no entry that is incomplete. */
export async function removeEntry(entries: string, name: string): Promise<void> {
  const removed = join(entries, REMOVED + randomBytes(6).toString("hex"));
  await rename(join(entries, name), removed).catch((error: unknown) => {
    if (!isCode(error, "ENOENT")) throw error;
  });
  await removeTree(removed);
}

/** Removes old and superfluous entries of a project. */
export async function pruneEntries(entries: string): Promise<void> {
  const kept: { name: string; keptAt: number }[] = [];
  for (const name of (await list(entries)).filter((each) => !each.startsWith("."))) {
    const entry = await readEntry(join(entries, name)).catch(() => null);
    if (entry === null) await removeEntry(entries, name);
    else kept.push({ name, keptAt: entry.keptAt });
  }
  const superfluous = kept.toSorted((one, other) => other.keptAt - one.keptAt).slice(MAX_ENTRIES);
  for (const { name } of superfluous) await removeEntry(entries, name);
}

export async function pruneAllEntries({ cachesDir }: GitContext): Promise<void> {
  for (const project of await list(cachesDir)) await pruneEntries(join(cachesDir, project));
}

/** Removes what crashed calls left. No other call may be active. */
export async function sweepEntries({ cachesDir }: GitContext): Promise<void> {
  for (const project of await list(cachesDir))
    for (const name of await list(join(cachesDir, project)))
      if (name.startsWith(".")) await removeTree(join(cachesDir, project, name));
}

async function list(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}
