import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../ports/log.ts";
import type { Workspaces } from "../../ports/workspace.ts";
import { readChurn } from "./read/churn.ts";
import { collectTree, noteSetup } from "./workspace/collect.ts";
import { diffCommits, rebaseCommit, squashCommits } from "./commits.ts";
import { mirrorPath, removalOf, taskPaths } from "./context.ts";
import type { GitContext } from "./context.ts";
import { listBranches, readBranch } from "./remote/list-branches.ts";
import { syncMirror } from "./mirror/mirror.ts";
import { readPerson } from "./remote/network-env.ts";
import type { Identity, Person } from "./remote/network-env.ts";
import { closeTree, createEngineDir, openTree } from "./workspace/open.ts";
import { pushCommit } from "./remote/push.ts";
import { readChanges } from "./read/read-changes.ts";
import { listRecentFiles } from "./read/recent-files.ts";
import { removeTree } from "./workspace/remove-tree.ts";
import { rescueCommit } from "./workspace/rescue.ts";
import { sweepMirrors } from "./mirror/sweep-mirrors.ts";
import { createTurns, isCode } from "./mirror/turns.ts";

export interface GitWorkspacesOptions {
  readonly mirrorsDir: string;
  readonly workspacesDir: string;
  /** Author of every commit; the person's own git identity when left out. */
  readonly identity?: Identity;
  readonly log: Log;
  /** How long git may look through a tree before we search it for what holds git up. */
  readonly patienceMs?: number;
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
    patienceMs: options.patienceMs ?? 10_000,
    person: readOnce,
    turns: createTurns(),
  };
  return {
    sync: (source) => syncMirror(context, source),
    open: (params) => openTree(context, params),
    noteSetup: (tree) => noteSetup(context, tree),
    collect: (params) => collectTree(context, params),
    rebase: (params) => inEngine(context, params, () => rebaseCommit(context, params)),
    squash: (params) => inEngine(context, params, () => squashCommits(context, params)),
    push: (params) => inEngine(context, params, () => pushCommit(context, params)),
    listBranches: (params) => listBranches(context, params),
    readBranch: (params) => readBranch(context, params),
    diff: (params) => inEngine(context, params, () => diffCommits(context, params)),
    readChanges: (params) => inEngine(context, params, () => readChanges(context, params)),
    churn: (params) => readChurn(context, params),
    recentFiles: (params) => listRecentFiles(context, params),
    rescue: (project, task, commit) =>
      inEngine(context, { project, task }, () => rescueCommit(context, { project, task, commit })),
    close: (task, name) => closeTree(context, task, name),
    remove: (task) => removeTask(context, task),
    sweep: () => sweepMirrors(context),
    list: () => listTasks(context),
    trees: (task) => treeNames(taskPaths(context, task).dir),
  };
}

/**
 * A task that is taken up again after its things were removed has a new engine directory, with what was rescued of its
 * work.
 */
async function inEngine<T>(
  context: GitContext,
  at: { project: string; task: string },
  work: () => Promise<T>,
): Promise<T> {
  return context.turns(at.task, async () => {
    await createEngineDir(taskPaths(context, at.task), mirrorPath(context, at.project));
    return work();
  });
}

/** Renamed first, so that a half-removed task is never taken for a whole one; `list` still names it until it is gone. */
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
  await context.turns(task, () => context.turns(removalOf(task), removeAll));
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
