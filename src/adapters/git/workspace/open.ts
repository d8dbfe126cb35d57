import { randomBytes } from "node:crypto";
import { copyFile, lstat, mkdir, readFile, readdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { MachineError, UserError } from "../../../core/text/errors.ts";
import type { OpenWorkspaceParams, Workspace } from "../../../ports/workspace.ts";
import { isRoot } from "../read/changes.ts";
import { mirrorPath, removalKey, taskPaths, treePaths } from "../context.ts";
import type { GitContext, TaskPaths, TreePaths } from "../context.ts";
import { copyFiles, ignorePattern } from "./copy-files.ts";
import { exists, repairGitDir, replaceFile, writeGitDir, type GitDirParams } from "../git-dir.ts";
import { gitFailure, runGit } from "../git.ts";
import { checkBranch, checkCommit } from "../names.ts";
import { removeTree } from "./remove-tree.ts";
import { restoreRescuedCommit } from "./rescue.ts";
import { bootId } from "../../process/job-files.ts";
import { isCode } from "../mirror/locks.ts";
import { writeOverlaidTree } from "./overlay.ts";
import { markDamaged, showsDamage } from "../mirror/repair.ts";

/** Metadata about a checkout, stored outside of it. */
export interface TreeRecord {
  readonly commit: string;
  /** Files copied from the user's checkout, which are not part of the work. */
  readonly copied: readonly string[];
  /** The boot of the machine. The files of a checkout are not flushed, so none survives a power cut reliably. */
  readonly boot: string | null;
}

export async function openTree(context: GitContext, params: OpenWorkspaceParams): Promise<Workspace> {
  checkCommit(params.commit);
  checkBranch(params.branch);
  const task = taskPaths(context, params.task);
  const tree = treePaths(task, params.name);
  const mirror = mirrorPath(context, params.project);
  const objects = [join(task.engine, "objects"), join(mirror, "objects")];
  return await context.locks(params.task, async () => {
    const record = await readRecord(tree);
    if (record) return { path: tree.tree, commit: record.commit, objects };
    await createEngineDir(task, mirror);
    await sweep(task.building);
    await buildTree(context, params, { task, tree, mirror });
    return { path: tree.tree, commit: params.commit, objects };
  });
}

/** Returns null if the checkout does not exist, is incomplete or is from before a reboot. A link in its place is not our checkout. */
export async function readRecord(tree: TreePaths): Promise<TreeRecord | null> {
  const kind = await lstat(tree.tree).catch(() => null);
  // Without its index, every file would look new and none deleted.
  if (!kind?.isDirectory() || !(await exists(tree.index))) return null;
  try {
    // Only we write this file, so its shape is known. A file damaged by a power failure is not valid JSON.
    const record = JSON.parse(await readFile(tree.record, "utf8")) as TreeRecord;
    return record.boot === bootId() ? record : null;
  } catch (error) {
    if (isCode(error, "ENOENT") || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Removes one run's checkout. It is renamed away first, so that a crash leaves no partial checkout that looks like the agent's work. */
export async function closeTree(context: GitContext, task: string, name: string): Promise<void> {
  const paths = taskPaths(context, task);
  const tree = treePaths(paths, name);
  await context.locks(task, async () => {
    await moveToTrash(paths, tree.tree);
    await Promise.all([tree.record, tree.index, tree.setup].map(removeTree));
  });
  await context.locks(removalKey(task), () => sweep(paths.trash));
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
  await moveToTrash(at.task, at.tree.tree);
  // Drop the set-up record of an earlier checkout with the same name.
  await removeTree(at.tree.setup);
  if (!(await reuseTree(params, at.task, { files, index }))) await checkOut(params, at, { files, index });
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
    // The stat data is identical, so the agent's first `git status` does not have to read files.
    copyFile(index, join(files, ".git", "index")),
    copyFile(join(at.mirror, "shallow"), join(files, ".git", "shallow")).catch(() => undefined),
    replaceFile(at.tree.record, JSON.stringify({ commit: params.commit, copied, boot: bootId() } satisfies TreeRecord)),
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
  { task: { engine }, mirror }: { readonly task: TaskPaths; readonly mirror: string },
  { files, index }: TreeFiles,
): Promise<void> {
  await mkdir(files);
  const overlay = params.overlay ?? null;
  const tree =
    overlay === null ? params.commit : await writeOverlaidTree(engine, `${index}.overlay`, params.commit, overlay);
  const args = ["read-tree", "--reset", "-u", tree];
  const call = { gitDir: engine, workTree: files, indexFile: index, args };
  const result = await runGit(call);
  if (result.code === 0) return;
  if (/unable to write file/.test(result.stderr)) await requireSpace(files);
  if (!(await isDamaged(params, mirror, result.stderr))) throw explainCheckout(params, gitFailure(call, result));
  await markDamaged(mirror);
  throw new MachineError(
    `The local copy of "${params.project}" is damaged: ${gitFailure(call, result).message}`,
    "It is fetched again at the next attempt.",
  );
}

/** Git does not say why it could not write a file. Throws the error of the system if another file cannot be written either. */
async function requireSpace(directory: string): Promise<void> {
  const probe = join(directory, ".nightshift-probe");
  try {
    await writeFile(probe, Buffer.alloc(PROBE_BYTES));
  } finally {
    await rm(probe, { force: true });
  }
}

const PROBE_BYTES = 1_000_000;

/** Moves the files and the index of another checkout here, without its git directory. Returns false if none is usable. */
async function reuseTree(params: OpenWorkspaceParams, task: TaskPaths, { files, index }: TreeFiles): Promise<boolean> {
  const other = treePaths(task, params.unchanged ?? params.name);
  if (!(await isReusable(other, params.commit))) return false;
  // Remove the record first, so that after a crash the other checkout is never considered complete.
  await removeTree(other.record);
  await rename(other.tree, files);
  await rename(other.index, index);
  await removeTree(join(files, ".git"));
  return true;
}

/** Whether the checkout contains only the commit's files. */
async function isReusable(tree: TreePaths, commit: string): Promise<boolean> {
  const record = await readRecord(tree);
  return record?.commit === commit && record.copied.length === 0 && !(await exists(tree.setup));
}

/**
 * Sets the index's time to the start of its second. Where only whole seconds are compared (see changes.ts), a file may have
 * been edited within that second; git compares the contents of files that are not older than the index.
 */
async function roundDown(index: string): Promise<void> {
  const seconds = Math.floor((await lstat(index)).mtimeMs / 1000);
  await utimes(index, seconds, seconds);
}

/** Creates the engine's git directory of a task. Agents never get access to it. */
export async function createEngineDir(task: TaskPaths, mirror: string): Promise<void> {
  const params: GitDirParams = { head: "work", bare: true, alternate: join(mirror, "objects") };
  if (await exists(task.engine)) return void (await repairGitDir(task.engine, params));
  if (!(await exists(mirror))) {
    throw new UserError("not_found", "This project has no mirror yet.", "Sync the project before opening a workspace.");
  }
  const building = join(task.dir, ".engine");
  await removeTree(building);
  await writeGitDir(building, params);
  await Promise.all([
    mkdir(join(building, "trees")),
    mkdir(join(building, "building")),
    // The mirror decides where a shallow history ends, also after later fetches.
    symlink(join(mirror, "shallow"), join(building, "shallow")),
  ]);
  await restoreRescuedCommit({ mirror, task: basename(task.dir), to: building });
  await rename(building, task.engine);
}

/** Removes everything in the folder. The caller holds its lock, so the content belongs to crashed or finished calls. */
async function sweep(folder: string): Promise<void> {
  const left = await readdir(folder).catch(() => []);
  for (const name of left) await removeTree(join(folder, name));
}

async function moveToTrash(task: TaskPaths, path: string): Promise<void> {
  // A directory made by an older version has no engine folder.
  if (await exists(task.engine)) await mkdir(task.trash, { recursive: true });
  await rename(path, join(task.trash, randomBytes(6).toString("hex"))).catch((error: unknown) => {
    if (!isCode(error, "ENOENT")) throw error;
  });
}

async function originRef(mirror: string): Promise<Record<string, string>> {
  const text = await readFile(join(mirror, "nightshift-base"), "utf8").catch(() => "");
  const [branch, commit] = text.split("\n");
  return branch && commit ? { [`refs/remotes/origin/${branch}`]: commit } : {};
}

/** The commit that the last sync returned must be readable. An older one may be gone from the remote. */
async function isDamaged({ commit }: OpenWorkspaceParams, mirror: string, stderr: string): Promise<boolean> {
  if (showsDamage(stderr)) return true;
  return Object.values(await originRef(mirror)).includes(commit);
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
