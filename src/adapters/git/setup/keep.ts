import { readFileSync } from "node:fs";
import { mkdir, readdir, rename, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { terminalText } from "../../../core/text/terminal-text.ts";
import type { KeepSetupParams, KeptSetup } from "../../../ports/workspace/setup-cache.ts";
import { taskPaths, treePaths, type GitContext } from "../context.ts";
import { exists } from "../git-dir.ts";
import { gitFailure, runGit } from "../git.ts";
import { findChanges } from "../read/changes.ts";
import { removeTree } from "../workspace/remove-tree.ts";
import { readRecord } from "../workspace/tree-record.ts";
import { ENTRY_FILE, entriesDir, MAX_BYTES, MAX_FILES, newBuildingDir, pruneEntries } from "./entry.ts";
import type { Entry, EntryPart } from "./entry.ts";
import { copyTree, findFilesWith, takeOwnership } from "./file-tools.ts";
import { markHome } from "./home-mark.ts";
import { inspectFiles } from "./inspect-files.ts";

/** A set-up that scatters more files than this is not an installation into a few folders. */
const MAX_PARTS = 500;
const MAX_BOUND_FILES = 5_000;
/** How often the copy must fit into the free space, because running agents need space, too. */
const SPACE_FACTOR = 4;
/** What package managers leave in HOME for people: it contains paths of this run and is of no use to another one. */
const LOGS = [".npm/_logs"];

export async function keepSetup(context: GitContext, params: KeepSetupParams): Promise<KeptSetup> {
  const entries = entriesDir(context, params.project);
  return await context.locks(`set-up ${entries} ${params.key}`, async () => {
    const building = newBuildingDir(entries);
    try {
      const entry = await build(context, params, building);
      await markHome(taskPaths(context, params.task), params.home, params.key);
      if (!(await exists(join(entries, params.key)))) await rename(building, join(entries, params.key));
      await pruneEntries(entries);
      return { kind: "kept", files: entry.files, bytes: entry.bytes };
    } catch (error) {
      // Set-up itself succeeded, so the run continues.
      return { kind: "refused", reason: error instanceof Error ? error.message : String(error) };
    } finally {
      await removeTree(building);
    }
  });
}

async function build(context: GitContext, params: KeepSetupParams, building: string): Promise<Entry> {
  const { tree } = treePaths(taskPaths(context, params.task), params.name);
  const origin = { tree, home: params.home };
  for (const log of LOGS) await removeTree(join(params.home, log));
  const parts = await findParts(context, params);
  const roots = parts.map((part) => join(origin[part.in], part.path));
  const limits = { origins: [tree, params.home], maxFiles: MAX_FILES, maxBytes: MAX_BYTES };
  const { bytes } = await inspectFiles({ roots, ...limits });
  await mkdir(join(building, "files"), { recursive: true, mode: 0o700 });
  await requireSpace(building, bytes);
  for (const [at, root] of roots.entries()) await copyTree(root, join(building, "files", String(at)));
  await takeOwnership(building);
  const copy = await inspectFiles({ roots: [join(building, "files")], ...limits });
  const below = (path: string): string => path.slice(Buffer.byteLength(building) + 1);
  const entry: Entry = {
    keptAt: Date.now(),
    origin,
    parts,
    files: copy.files,
    bytes: copy.bytes,
    links: copy.links.map(below),
    bound: (await findBoundFiles(building, origin)).map(below),
  };
  await writeFile(join(building, ENTRY_FILE), JSON.stringify(entry), { mode: 0o600 });
  return entry;
}

/** Throws if set-up changed files of the repository, because copies of new files would not repeat that. */
async function findParts(context: GitContext, params: KeepSetupParams): Promise<readonly EntryPart[]> {
  const task = taskPaths(context, params.task);
  const tree = treePaths(task, params.name);
  const record = await readRecord(tree);
  if (record === null) throw new Error("the workspace no longer exists");
  const { log, timeoutMs } = context;
  const at = { engine: task.engine, tree: tree.tree, index: tree.index, copied: record.copied, log, timeoutMs };
  const { deleted, blobs } = await findChanges(at);
  const [changed] = [...deleted, ...blobs.keys()];
  if (changed !== undefined) throw new Error(`it changes ${show(changed)}, which is part of the repository`);
  const untracked = (await listUntracked(at)).filter((path) => !record.copied.includes(path));
  const inHome = await readdir(params.home);
  const parts: readonly EntryPart[] = [
    ...untracked.map((path) => ({ in: "tree", path }) as const),
    ...inHome.map((path) => ({ in: "home", path }) as const),
  ];
  if (parts.length > MAX_PARTS) throw new Error(`it made files in more than ${MAX_PARTS} places`);
  if (parts.some(({ path }) => path.includes("\uFFFD"))) throw new Error("it made a file whose name is not valid text");
  return parts;
}

/** Folders that contain only untracked files are listed as one path. */
async function listUntracked(at: {
  engine: string;
  tree: string;
  index: string;
  timeoutMs: number;
}): Promise<string[]> {
  const args = ["ls-files", "-z", "--others", "--directory"];
  const call = { gitDir: at.engine, workTree: at.tree, indexFile: at.index, args, timeoutMs: at.timeoutMs };
  const result = await runGit(call);
  if (result.code === null) throw new Error("git could not list what it made");
  if (result.code !== 0) throw gitFailure(call, result);
  const paths = result.stdout.toString().split("\0");
  return paths.filter((path) => path !== "").map((path) => path.replace(/\/$/, ""));
}

async function requireSpace(dir: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  if (bavail * bsize < bytes * SPACE_FACTOR) throw new Error("there is too little free space on the disk");
}

/** Returns the text files that contain the path of the workspace or its home. They are adapted to another workspace. */
async function findBoundFiles(building: string, { tree, home }: Entry["origin"]): Promise<readonly string[]> {
  const found = (await findFilesWith(join(building, "files"), [tree, home])).filter((path) => !isBytecode(path));
  if (found.length > MAX_BOUND_FILES) throw new Error(`more than ${MAX_BOUND_FILES} of its files contain its path`);
  const binary = found.find((path) => readFileSync(Buffer.from(path, "latin1")).includes(0));
  if (binary !== undefined) throw new Error(`${show(binary)} contains the path of the workspace and cannot be adapted`);
  return found;
}

/** Python corrects the path in its compiled files when it loads them. */
function isBytecode(path: string): boolean {
  return path.endsWith(".pyc");
}

function show(path: string): string {
  return terminalText(Buffer.from(path, "latin1").toString()).replaceAll("\n", " ");
}
