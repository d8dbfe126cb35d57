import { randomBytes } from "node:crypto";
import { copyFile, lstat, mkdir, readFile, readdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { MachineError, UserError } from "../../../core/text/errors.ts";
import type { OpenWorkspaceParams, PrepareTreeParams, Workspace } from "../../../ports/workspace.ts";
import { isRoot } from "../read/changes.ts";
import { mirrorPath, removalKey, taskPaths, treePaths } from "../context.ts";
import type { GitContext, TaskPaths, TreePaths } from "../context.ts";
import { copyFiles, ignorePattern, linkFiles } from "./copy-files.ts";
import { exists, repairGitDir, writeGitDir, type GitDirParams } from "../git-dir.ts";
import { gitFailure, runGit } from "../git.ts";
import { checkBranch, checkCommit } from "../names.ts";
import { removeTree } from "./remove-tree.ts";
import { restoreRescuedCommit } from "./rescue.ts";
import { isCode } from "../mirror/locks.ts";
import { writeOverlaidTree } from "./overlay.ts";
import { readRecord, writeRecord, type TreeRecord } from "./tree-record.ts";
import { markDamaged, showsDamage } from "../mirror/repair.ts";

export async function openTree(context: GitContext, params: OpenWorkspaceParams): Promise<Workspace> {
  checkCommit(params.commit);
  checkBranch(params.branch);
  const task = taskPaths(context, params.task);
  const tree = treePaths(task, params.name);
  const mirror = mirrorPath(context, params.project);
  const objects = [join(task.engine, "objects"), join(mirror, "objects")];
  return await context.locks(params.task, async () => {
    const record = await readRecord(tree);
    if (record)
      return {
        path: tree.tree,
        commit: record.commit,
        objects,
        links: record.links ?? [],
        ports: record.ports ?? null,
      };
    const at = { task, tree, mirror };
    const { links = [], ports = null } = await buildTree(at, (built) => fillTree(context, params, at, built));
    return { path: tree.tree, commit: params.commit, objects, links, ports };
  });
}

/** Writes the files and the index of a checkout that a later `open` takes over. It has no git directory, and nothing runs in it. */
export async function prepareTree(context: GitContext, params: PrepareTreeParams): Promise<void> {
  checkCommit(params.commit);
  const task = taskPaths(context, params.task);
  const at = { task, tree: treePaths(task, params.name), mirror: mirrorPath(context, params.project) };
  await context.locks(params.task, async () => {
    if (await readRecord(at.tree)) return;
    await buildTree(at, async (built) => {
      await checkOut(params, at, built);
      await writeRecord(context, at.tree, { commit: params.commit, copied: [] }, 0);
    });
  });
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

/** Where a checkout is built. */
interface TreeLocation {
  readonly task: TaskPaths;
  readonly tree: TreePaths;
  readonly mirror: string;
}

/** Builds a checkout out of sight and moves it to its place, so that a crash leaves none that is incomplete. */
async function buildTree<T>({ task, tree, mirror }: TreeLocation, fill: (built: TreeFiles) => Promise<T>): Promise<T> {
  await createEngineDir(task, mirror);
  await sweep(task.building);
  const building = join(task.building, randomBytes(6).toString("hex"));
  const built = { files: join(building, "files"), index: join(building, "index") };
  await mkdir(building, { recursive: true });
  await moveToTrash(task, tree.tree);
  // Drop the set-up record of an earlier checkout with the same name.
  await removeTree(tree.setup);
  const filled = await fill(built);
  await rename(built.index, tree.index);
  await rename(built.files, tree.tree);
  await removeTree(building);
  return filled;
}

async function fillTree(
  context: GitContext,
  params: OpenWorkspaceParams,
  at: TreeLocation,
  { files, index }: TreeFiles,
): Promise<TreeRecord> {
  if (!(await reuseTree(params, at.task, { files, index }))) {
    if (params.prepared != null) await takeTree(treePaths(at.task, params.prepared), { files, index });
    await checkOut(params, at, { files, index });
  }
  const { identity } = await context.person();
  const linked = params.link == null ? [] : await linkFiles(params.link, files);
  const copied = [
    ...(params.copy === null ? [] : await copyFiles(params.copy, files)),
    ...linked.map(({ file }) => file),
  ];
  const links = linked.map(({ target }) => target);
  await writeGitDir(join(files, ".git"), {
    head: params.branch,
    bare: false,
    alternate: join(at.task.engine, "objects"),
    refs: { [`refs/heads/${params.branch}`]: params.commit, ...(await originRef(at.mirror)) },
    user: identity,
    exclude: copied.map(ignorePattern),
  });
  const [record] = await Promise.all([
    writeRecord(context, at.tree, { commit: params.commit, copied, links }, params.ports ?? 0),
    // The stat data is identical, so the agent's first `git status` does not have to read files.
    copyFile(index, join(files, ".git", "index")),
    copyFile(join(at.mirror, "shallow"), join(files, ".git", "shallow")).catch(() => undefined),
  ]);
  if (isRoot()) await roundDown(index);
  return record;
}

interface TreeFiles {
  readonly files: string;
  readonly index: string;
}

type CheckoutParams = PrepareTreeParams & Pick<OpenWorkspaceParams, "overlay">;

/** Writes the files of a commit. If there are files and an index already, git writes only those that differ. */
async function checkOut(
  params: CheckoutParams,
  { task: { engine }, mirror }: Pick<TreeLocation, "task" | "mirror">,
  { files, index }: TreeFiles,
): Promise<void> {
  await mkdir(files, { recursive: true });
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

/** Reuses a checkout of the same commit. Returns false if there is none. */
async function reuseTree(params: OpenWorkspaceParams, task: TaskPaths, to: TreeFiles): Promise<boolean> {
  const other = treePaths(task, params.unchanged ?? params.name);
  if ((await readRecord(other))?.commit !== params.commit) return false;
  return await takeTree(other, to);
}

/**
 * Moves the files and the index of another checkout here, without its git directory. Returns false if it does not exist or
 * contains more than the files of its commit.
 */
async function takeTree(other: TreePaths, { files, index }: TreeFiles): Promise<boolean> {
  const record = await readRecord(other);
  if (record === null || record.copied.length > 0 || (await exists(other.setup))) return false;
  // Remove the record first, so that after a crash the other checkout is never considered complete.
  await removeTree(other.record);
  await rename(other.tree, files);
  await rename(other.index, index);
  await removeTree(join(files, ".git"));
  return true;
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
async function isDamaged({ commit }: CheckoutParams, mirror: string, stderr: string): Promise<boolean> {
  if (showsDamage(stderr)) return true;
  return Object.values(await originRef(mirror)).includes(commit);
}

function explainCheckout(params: CheckoutParams, failure: Error): Error {
  if (!/unable to read tree|bad object|not a tree|not a valid object|unpack tree/i.test(failure.message)) {
    return failure;
  }
  return new UserError(
    "not_found",
    `Commit ${params.commit} is neither in the mirror of "${params.project}" nor in the work of ${params.task}.`,
    "Sync the project; if its history was rewritten, retry the task from the new base.",
  );
}
