import { randomBytes } from "node:crypto";
import { copyFile, lstat, mkdir, readFile, readdir, rename, symlink, utimes } from "node:fs/promises";
import { basename, join } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import type { OpenWorkspaceParams, Workspace } from "../../../ports/workspace.ts";
import { isRoot } from "../read/changes.ts";
import { mirrorPath, removalOf, taskPaths, treePaths } from "../context.ts";
import type { GitContext, TaskPaths, TreePaths } from "../context.ts";
import { copyFiles, ignorePattern } from "./copy-files.ts";
import { isThere, replaceFile, writeGitDir } from "../git-dir.ts";
import { gitFailure, runGit } from "../git.ts";
import { checkBranch, checkCommit } from "../names.ts";
import { removeTree } from "./remove-tree.ts";
import { bringRescued } from "./rescue.ts";
import { isCode } from "../mirror/turns.ts";

/** What is remembered about a tree, outside of it. */
export interface TreeRecord {
  readonly commit: string;
  /** Files of the person's checkout that were put in and are not part of the work. */
  readonly copied: readonly string[];
}

export async function openTree(context: GitContext, params: OpenWorkspaceParams): Promise<Workspace> {
  checkCommit(params.commit);
  checkBranch(params.branch);
  const task = taskPaths(context, params.task);
  const tree = treePaths(task, params.name);
  const mirror = mirrorPath(context, params.project);
  const objects = [join(task.engine, "objects"), join(mirror, "objects")];
  return await context.turns(params.task, async () => {
    const record = await readRecord(tree);
    if (record) return { path: tree.tree, commit: record.commit, objects };
    await createEngineDir(task, mirror);
    await sweep(task.building);
    await buildTree(context, params, { task, tree, mirror });
    return { path: tree.tree, commit: params.commit, objects };
  });
}

/** Null when the tree is not there, or was not finished. A link in its place is not the tree we made. */
export async function readRecord(tree: TreePaths): Promise<TreeRecord | null> {
  const kind = await lstat(tree.tree).catch(() => null);
  // Without its index, every file of the tree would look new and none deleted.
  if (!kind?.isDirectory() || !(await isThere(tree.index))) return null;
  try {
    // Written by us alone, so its shape is known; what a power cut left of it is not JSON.
    return JSON.parse(await readFile(tree.record, "utf8")) as TreeRecord;
  } catch (error) {
    if (isCode(error, "ENOENT") || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Removes one run's tree. It disappears in one step, so a crash leaves no half of it to be taken for the agent's work. */
export async function closeTree(context: GitContext, task: string, name: string): Promise<void> {
  const paths = taskPaths(context, task);
  const tree = treePaths(paths, name);
  await context.turns(task, async () => {
    await throwAway(paths, tree.tree);
    await Promise.all([tree.record, tree.index, tree.setup].map(removeTree));
  });
  await context.turns(removalOf(task), () => sweep(paths.trash));
}

async function buildTree(
  context: GitContext,
  params: OpenWorkspaceParams,
  at: { task: TaskPaths; tree: TreePaths; mirror: string },
): Promise<void> {
  const building = join(at.task.building, randomBytes(6).toString("hex"));
  const files = join(building, "files");
  const index = join(building, "index");
  await mkdir(building, { recursive: true });
  await throwAway(at.task, at.tree.tree);
  // What was noted of an earlier tree of this name says nothing about this one.
  await removeTree(at.tree.setup);
  if (!(await takeOver(params, at.task, { files, index }))) await checkOut(params, at.task, { files, index });
  const { identity } = await context.person();
  const copied = params.copy === null ? [] : await copyFiles(params.copy, files);
  await writeGitDir(join(files, ".git"), {
    head: params.branch,
    bare: false,
    alternate: join(at.task.engine, "objects"),
    refs: { [`refs/heads/${params.branch}`]: params.commit, ...(await originRef(at.mirror)) },
    user: identity,
    exclude: copied.map(ignorePattern),
  });
  await Promise.all([
    // The same files, so the same stat data: the agent's first `git status` has nothing to read.
    copyFile(index, join(files, ".git", "index")),
    copyFile(join(at.mirror, "shallow"), join(files, ".git", "shallow")).catch(() => undefined),
    replaceFile(at.tree.record, JSON.stringify({ commit: params.commit, copied } satisfies TreeRecord)),
  ]);
  if (isRoot()) await roundDown(index);
  await rename(index, at.tree.index);
  await rename(files, at.tree.tree);
  await removeTree(building);
}

interface TreeFiles {
  readonly files: string;
  readonly index: string;
}

async function checkOut(
  params: OpenWorkspaceParams,
  { engine }: TaskPaths,
  { files, index }: TreeFiles,
): Promise<void> {
  await mkdir(files);
  const args = ["read-tree", "--reset", "-u", params.commit];
  const call = { gitDir: engine, workTree: files, indexFile: index, args };
  const result = await runGit(call);
  if (result.code !== 0) throw explainCheckout(params, gitFailure(call, result));
}

/** The files and the index of another tree, without its git directory. False where there is none that is fit. */
async function takeOver(params: OpenWorkspaceParams, task: TaskPaths, { files, index }: TreeFiles): Promise<boolean> {
  const other = treePaths(task, params.unchanged ?? params.name);
  if (!(await isFit(other, params.commit))) return false;
  // The record goes first: from here on, whatever happens, nobody takes the other for a whole tree.
  await removeTree(other.record);
  await rename(other.tree, files);
  await rename(other.index, index);
  await removeTree(join(files, ".git"));
  return true;
}

/** A tree of nothing but the commit's files. */
async function isFit(tree: TreePaths, commit: string): Promise<boolean> {
  const record = await readRecord(tree);
  return record?.commit === commit && record.copied.length === 0 && !(await isThere(tree.setup));
}

/**
 * As if the index was written when its second began. Where only whole seconds are compared (see changes.ts), any file of
 * that second may have been edited within it; git compares the contents of files that are no older than the index.
 */
async function roundDown(index: string): Promise<void> {
  const seconds = Math.floor((await lstat(index)).mtimeMs / 1000);
  await utimes(index, seconds, seconds);
}

/** The engine's own git directory of a task: no agent is ever given it. */
export async function createEngineDir(task: TaskPaths, mirror: string): Promise<void> {
  if (await isThere(task.engine)) return;
  if (!(await isThere(mirror))) {
    throw new UserError("not_found", "This project has no mirror yet.", "Sync the project before opening a workspace.");
  }
  const building = join(task.dir, ".engine");
  await removeTree(building);
  await writeGitDir(building, { head: "work", bare: true, alternate: join(mirror, "objects") });
  await Promise.all([
    mkdir(join(building, "trees")),
    mkdir(join(building, "building")),
    // Where history ends is the mirror's to say, also after a later fetch.
    symlink(join(mirror, "shallow"), join(building, "shallow")),
  ]);
  await bringRescued({ mirror, task: basename(task.dir), to: building });
  await rename(building, task.engine);
}

/** Everything in there is of a call that died, or that is done with it: whoever calls holds the turn of that folder. */
async function sweep(folder: string): Promise<void> {
  const left = await readdir(folder).catch(() => []);
  for (const name of left) await removeTree(join(folder, name));
}

async function throwAway(task: TaskPaths, path: string): Promise<void> {
  // A directory of an earlier version has none.
  if (await isThere(task.engine)) await mkdir(task.trash, { recursive: true });
  await rename(path, join(task.trash, randomBytes(6).toString("hex"))).catch((error: unknown) => {
    if (!isCode(error, "ENOENT")) throw error;
  });
}

async function originRef(mirror: string): Promise<Record<string, string>> {
  const text = await readFile(join(mirror, "nightshift-base"), "utf8").catch(() => "");
  const [branch, commit] = text.split("\n");
  return branch && commit ? { [`refs/remotes/origin/${branch}`]: commit } : {};
}

function explainCheckout(params: OpenWorkspaceParams, failure: Error): Error {
  if (!/unable to read tree|bad object|not a tree|not a valid object|unpack tree/i.test(failure.message)) {
    return failure;
  }
  return new UserError(
    "not_found",
    `Commit ${params.commit} is neither in the mirror of "${params.project}" nor in the work of ${params.task}.`,
    "Sync the project; if its history was rewritten, retry the task from the new base.",
  );
}
