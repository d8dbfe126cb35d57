import { readdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { MachineError, UserError } from "../../core/text/errors.ts";
import type { Log } from "../../ports/log.ts";
import type { Workspaces } from "../../ports/workspace.ts";
import { exists } from "./git-dir.ts";
import { readChurn } from "./read/churn.ts";
import { collectTree, noteSetup } from "./workspace/collect.ts";
import { diffCommits, rebaseCommit, squashCommits } from "./commits.ts";
import { mirrorPath, removalKey, taskPaths } from "./context.ts";
import type { GitContext } from "./context.ts";
import { listBranches, readBranch } from "./remote/list-branches.ts";
import { syncMirror } from "./mirror/mirror.ts";
import { markDamaged, removeUnreadableObjects, showsDamage } from "./mirror/repair.ts";
import { readPerson } from "./remote/network-env.ts";
import type { Identity, Person } from "./remote/network-env.ts";
import { makeDirectories } from "./workspace/make-directories.ts";
import { closeTree, createEngineDir, openTree, prepareTree } from "./workspace/open.ts";
import { compareBranch, isMerged } from "./remote/compare-branch.ts";
import { fetchRequest } from "./remote/fetch-request.ts";
import { mergeIntoDefault } from "./remote/merge.ts";
import { tryMerges, type ConflictCache } from "./remote/trial-merges.ts";
import { pushCommit } from "./remote/push.ts";
import { readChanges } from "./read/read-changes.ts";
import { countCommits, listFiles, listFileSizes, readFiles } from "./read/list-files.ts";
import { listRecentFiles } from "./read/recent-files.ts";
import { removeTree } from "./workspace/remove-tree.ts";
import { keepSuperseded, rescueCommit, takeOverCommit } from "./workspace/rescue.ts";
import { pruneAllEntries, sweepEntries } from "./setup/entry.ts";
import { keepSetup } from "./setup/keep.ts";
import { restoreSetup } from "./setup/restore.ts";
import { sweepMirrors } from "./mirror/sweep-mirrors.ts";
import { createKeyedLock, isCode } from "./mirror/locks.ts";

export interface GitWorkspacesOptions {
  readonly mirrorsDir: string;
  readonly workspacesDir: string;
  /** Author of every commit. Default: the user's own git identity. */
  readonly identity?: Identity;
  readonly log: Log;
  /** How long git may scan a checkout before we search it for files that block git. */
  readonly timeoutMs?: number;
}

const REMOVED = ".removed-";

export function createGitWorkspaces(options: GitWorkspacesOptions): Workspaces {
  let person: Promise<Person> | undefined;
  const readOnce = () =>
    (person ??= readPerson(options.identity).catch((error: unknown) => {
      person = undefined;
      throw error;
    }));
  const context: GitContext = {
    ...options,
    cachesDir: join(dirname(options.workspacesDir), "caches"),
    timeoutMs: options.timeoutMs ?? 10_000,
    person: readOnce,
    locks: createKeyedLock(),
  };
  const conflicts: ConflictCache = new Map();
  return {
    sync: (source) => syncMirror(context, source),
    open: (params) => openTree(context, params),
    prepare: (params) => prepareTree(context, params),
    noteSetup: (tree) => noteSetup(context, tree),
    makeDirectories: (tree, directories) => makeDirectories(context, tree, directories),
    restoreSetup: (params) => restoreSetup(context, params),
    keepSetup: (params) => keepSetup(context, params),
    removeOldSetups: () => pruneAllEntries(context),
    collect: (params) => withRepair(context, params, () => collectTree(context, params)),
    rebase: (params) => withEngineDir(context, params, () => rebaseCommit(context, params)),
    squash: (params) => withEngineDir(context, params, () => squashCommits(context, params)),
    push: (params) => withEngineDir(context, params, () => pushCommit(context, params)),
    mergeBranch: async (params) => {
      const base = await syncMirror(context, params);
      return withEngineDir(context, params, () => mergeIntoDefault(context, params, base));
    },
    tryMerges: (params) => tryMerges(context, conflicts, params),
    listBranches: (params) => listBranches(context, params),
    readBranch: (params) => readBranch(context, params),
    compareBranch: (params) => compareBranch(context, params),
    fetchRequest: async (params) => {
      await syncMirror(context, params);
      return withEngineDir(context, params, () => fetchRequest(context, params));
    },
    isMerged: async (params) => {
      const { engine } = taskPaths(context, params.task);
      // The directory of an ended task is removed. The mirror has its commit if the branch was fetched.
      if (!(await exists(engine))) return isMerged(mirrorPath(context, params.project), params);
      return withEngineDir(context, params, () => isMerged(engine, params));
    },
    diff: (params) => withEngineDir(context, params, () => diffCommits(context, params)),
    readChanges: (params) => withEngineDir(context, params, () => readChanges(context, params)),
    churn: (params) => readChurn(context, params),
    recentFiles: (params) => listRecentFiles(context, params),
    listFiles: (params) => listFiles(context, params),
    listFileSizes: (params) => listFileSizes(context, params),
    readFiles: ({ task, ...params }) => {
      if (task === null) return readFiles(mirrorPath(context, params.project), params);
      const { engine } = taskPaths(context, task);
      return withEngineDir(context, { ...params, task }, () => readFiles(engine, params));
    },
    countCommits: (params) => countCommits(context, params),
    rescue: (project, task, commit) =>
      withEngineDir(context, { project, task }, () => rescueCommit(context, { project, task, commit })),
    keepSuperseded: (project, task, commit) =>
      withEngineDir(context, { project, task }, () => keepSuperseded(context, { project, task, commit })),
    takeOver: (params) => withEngineDir(context, params, () => takeOverCommit(context, params)),
    close: (task, name) => closeTree(context, task, name),
    remove: (task) => removeTask(context, task),
    sweep: async () => {
      await sweepMirrors(context);
      await sweepEntries(context);
    },
    list: () => listTasks(context),
    trees: (task) => treeNames(taskPaths(context, task).dir),
  };
}

/**
 * Creates the task's engine directory if it is missing. A task that is resumed after its removal gets its rescued work back.
 */
async function withEngineDir<T>(context: GitContext, at: TaskOfProject, work: () => Promise<T>): Promise<T> {
  return withRepair(context, at, () =>
    context.locks(at.task, async () => {
      await createEngineDir(taskPaths(context, at.task), mirrorPath(context, at.project));
      return work();
    }),
  );
}

interface TaskOfProject {
  readonly project: string;
  readonly task: string;
}

/**
 * Repeats work that failed because of damaged objects of the task, after their removal. The next sync fetches damaged objects of
 * the mirror again.
 */
async function withRepair<T>(context: GitContext, at: TaskOfProject, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !showsDamage(error.message)) throw error;
    const { engine, dir } = taskPaths(context, at.task);
    const mirror = mirrorPath(context, at.project);
    context.log.warn("the git directory of a task is damaged", { dir, error: error.message });
    await markDamaged(mirror);
    await context.locks(at.task, async () => {
      await createEngineDir(taskPaths(context, at.task), mirror);
      await removeUnreadableObjects(engine);
    });
    return await work().catch((again: unknown) => {
      if (again instanceof UserError) throw again;
      const message = `The local copy of "${at.project}" or of the work of ${at.task} is damaged: ${String(again)}`;
      throw new MachineError(message, "It is fetched again at the next attempt.");
    });
  }
}

/** Renames first, so that a partially removed task never looks complete. `list` returns it until it is gone. */
async function removeTask(context: GitContext, task: string): Promise<void> {
  const { dir } = taskPaths(context, task);
  const removed = join(context.workspacesDir, REMOVED + task);
  const removeAll = async (): Promise<void> => {
    await removeTree(removed);
    await rename(dir, removed).catch((error: unknown) => {
      if (!isCode(error, "ENOENT")) throw error;
    });
    await removeTree(removed);
  };
  await context.locks(task, () => context.locks(removalKey(task), removeAll));
}

async function listTasks(context: GitContext): Promise<readonly string[]> {
  const entries = await readDirectory(context.workspacesDir);
  const tasks = entries.map((entry) => (entry.startsWith(REMOVED) ? entry.slice(REMOVED.length) : entry));
  return [...new Set(tasks.filter((task) => !task.startsWith(".")))];
}

async function treeNames(dir: string): Promise<string[]> {
  return (await readDirectory(dir)).filter((name) => name !== "engine.git" && !name.startsWith("."));
}

async function readDirectory(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).toSorted();
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}
