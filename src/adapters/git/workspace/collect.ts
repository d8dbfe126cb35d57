import { UserError } from "../../../core/text/errors.ts";
import type { CollectParams, Collected, TreeName } from "../../../ports/workspace.ts";
import { findChanges, type Changes } from "../read/changes.ts";
import { taskPaths, treePaths } from "../context.ts";
import type { GitContext } from "../context.ts";
import { readRecord } from "./tree-record.ts";
import { saveSetupRecord, excludeSetupChanges } from "./setup-record.ts";
import { NO_CHANGE, readStats } from "../read/stats.ts";
import { writeCommit } from "./write-commit.ts";

export async function collectTree(context: GitContext, params: CollectParams): Promise<Collected> {
  const task = taskPaths(context, params.task);
  const paths = treePaths(task, params.name);
  const { engine } = task;
  return await context.locks(params.task, async () => {
    const { parent, changes: found } = await findTreeChanges(context, params, "so there is nothing to collect");
    const changes = await excludeSetupChanges(paths, found);
    if (changes.deleted.length + changes.written.length === 0) return { commit: null, stats: NO_CHANGE };
    const { identity } = await context.person();
    const { message, at } = params;
    const commit = await writeCommit({ engine, tree: paths.tree, changes, parent, message, at, identity });
    const stats = await readStats(engine, parent, commit);
    // Files that were only touched give a tree equal to the parent's, which is no change.
    return stats.files.length === 0 ? { commit: null, stats } : { commit, stats };
  });
}

export async function noteSetup(context: GitContext, name: TreeName): Promise<void> {
  const paths = treePaths(taskPaths(context, name.task), name.name);
  await context.locks(name.task, async () => {
    const { changes } = await findTreeChanges(context, name, "so the result of its set-up is unknown");
    await saveSetupRecord(paths, changes);
  });
}

/** Acquires the task's lock. */
async function findTreeChanges(
  context: GitContext,
  { task, name }: TreeName,
  consequence: string,
): Promise<{ parent: string; changes: Changes }> {
  const { engine } = taskPaths(context, task);
  const paths = treePaths(taskPaths(context, task), name);
  const record = await readRecord(paths);
  if (!record) {
    throw new UserError(
      "unavailable",
      `The workspace ${name} of ${task} no longer exists, ${consequence}.`,
      "The agent or another program removed it. Retry the task.",
    );
  }
  const { tree, index } = paths;
  const { log, timeoutMs } = context;
  const changes = await findChanges({ engine, tree, index, copied: record.copied, log, timeoutMs });
  return { parent: record.commit, changes };
}
