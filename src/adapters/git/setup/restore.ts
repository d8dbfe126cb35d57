import {
  chmodSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { lstat, mkdir, readdir, rename } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { MachineError } from "../../../core/text/errors.ts";
import type { RestoredSetup, SetupParams } from "../../../ports/workspace/setup-cache.ts";
import { taskPaths, treePaths, type GitContext } from "../context.ts";
import { removeTree } from "../workspace/remove-tree.ts";
import { entriesDir, MAX_BYTES, MAX_FILES, readEntry, removeEntry, type Entry } from "./entry.ts";
import { copyTree } from "./file-tools.ts";
import { isMarkedHome, markHome } from "./home-mark.ts";
import { inspectFiles } from "./inspect-files.ts";
import { keyOfSetup } from "./key.ts";

export async function restoreSetup(context: GitContext, params: SetupParams): Promise<RestoredSetup> {
  return await context.locks(params.task, async () => {
    const key = await keyOfSetup(context, params);
    const keepKey = (await readdir(params.home)).length === 0 ? key : null;
    const entries = entriesDir(context, params.project);
    try {
      const entry = await readEntry(join(entries, key));
      if (entry === null) return { kind: "missing", key: keepKey };
      return await restoreEntry(context, params, { key, dir: join(entries, key), entry });
    } catch (error) {
      if (error instanceof MachineError) throw error;
      // Another task may have removed it a moment ago.
      if (!(await hasEntry(entries, key))) return { kind: "missing", key: keepKey };
      await removeEntry(entries, key);
      return { kind: "damaged", key: keepKey, reason: error instanceof Error ? error.message : String(error) };
    }
  });
}

async function hasEntry(entries: string, key: string): Promise<boolean> {
  return (await lstat(join(entries, key)).catch(() => null)) !== null;
}

interface Move {
  readonly from: string;
  readonly to: string;
}

interface FoundEntry {
  readonly key: string;
  readonly dir: string;
  readonly entry: Entry;
}

/** Copies everything out of sight first, so that a crash or a damaged entry leaves no incomplete folder in the workspace. */
async function restoreEntry(
  context: GitContext,
  params: SetupParams,
  { key, dir, entry }: FoundEntry,
): Promise<RestoredSetup> {
  const task = taskPaths(context, params.task);
  const origin = { tree: treePaths(task, params.name).tree, home: params.home };
  const isFilled = await isMarkedHome(task, params.home, key);
  const targets = entry.parts.map((part) => ({ ...part, path: join(origin[part.in], part.path) }));
  const moved: Move[] = [];
  const staging = join(task.building, "set-up");
  for (const [at, target] of targets.entries()) {
    const problem = await findObstacle(origin[target.in], target.path);
    if (problem === null) moved.push({ from: join(staging, String(at)), to: target.path });
    else if (target.in === "tree" || !isFilled) return { kind: "occupied", key: null, reason: problem };
  }
  try {
    await removeTree(staging);
    await mkdir(task.building, { recursive: true });
    await copyTree(join(dir, "files"), staging);
    await requireComplete(staging, entry);
    adaptPaths(staging, entry, origin);
    await moveAll(moved);
  } finally {
    await removeTree(staging);
  }
  await markHome(task, params.home, key);
  return { kind: "restored", keptAt: entry.keptAt };
}

async function moveAll(moves: readonly Move[]): Promise<void> {
  const done: string[] = [];
  try {
    for (const { from, to } of moves) {
      await rename(from, to);
      done.push(to);
    }
  } catch (error) {
    for (const path of done) await removeTree(path);
    throw error;
  }
}

/** The folders above must be real ones: a link in the repository could lead anywhere. The path itself must not exist. */
async function findObstacle(root: string, path: string): Promise<string | null> {
  const parents = relative(root, dirname(path))
    .split(sep)
    .filter((part) => part !== "");
  let folder = root;
  for (const part of ["", ...parents]) {
    folder = join(folder, part);
    if ((await lstat(folder).catch(() => null))?.isDirectory() !== true) return `${folder} is not a folder`;
  }
  return (await lstat(path).catch(() => null)) === null ? null : `${path} exists already`;
}

async function requireComplete(staging: string, { files, bytes }: Entry): Promise<void> {
  const found = await inspectFiles({ roots: [staging], origins: [], maxFiles: MAX_FILES + 1, maxBytes: MAX_BYTES });
  if (found.files !== files || found.bytes !== bytes)
    throw new Error(`it has ${found.files} files with ${found.bytes} bytes instead of ${files} with ${bytes}`);
}

/** Replaces the paths of the workspace and the home that the files were made in. The entry lists the files concerned. */
function adaptPaths(staging: string, { bound, links, origin }: Entry, now: Entry["origin"]): void {
  const [oldTree, oldHome, tree, home] = [origin.tree, origin.home, now.tree, now.home].map((path) =>
    Buffer.from(path).toString("latin1"),
  ) as [string, string, string, string];
  const adapt = (text: string): string => text.replaceAll(oldTree, tree).replaceAll(oldHome, home);
  const locate = (path: string): Buffer =>
    Buffer.concat([Buffer.from(staging), Buffer.from(path.slice("files".length), "latin1")]);
  for (const file of bound.map(locate)) {
    const { mode, atime, mtime } = lstatSync(file);
    const content = adapt(readFileSync(file, "latin1"));
    chmodSync(file, 0o600);
    writeFileSync(file, content, "latin1");
    chmodSync(file, mode & 0o777);
    utimesSync(file, atime, mtime);
  }
  for (const link of links.map(locate)) {
    const target = adapt(readlinkSync(link, "latin1"));
    unlinkSync(link);
    symlinkSync(Buffer.from(target, "latin1"), link);
  }
}
