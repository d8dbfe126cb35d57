import { UserError } from "../../core/errors.ts";
import type { CollectParams, Collected } from "../../ports/workspace.ts";
import { findChanges } from "./changes.ts";
import { taskPaths, treePaths } from "./context.ts";
import type { GitContext } from "./context.ts";
import { readRecord } from "./open.ts";
import { NO_CHANGE, readStats } from "./stats.ts";
import { writeCommit } from "./write-commit.ts";

export async function collectTree(context: GitContext, params: CollectParams): Promise<Collected> {
  const task = taskPaths(context, params.task);
  const paths = treePaths(task, params.name);
  const { engine } = task;
  const { tree, index } = paths;
  return await context.turns(params.task, async () => {
    const record = await readRecord(paths);
    if (!record) throw explainGone(params);
    const { log, patienceMs } = context;
    const changes = await findChanges({ engine, tree, index, copied: record.copied, log, patienceMs });
    if (changes.deleted.length + changes.written.length === 0) return { commit: null, stats: NO_CHANGE };
    const { identity } = await context.person();
    const { message, at } = params;
    const commit = await writeCommit({ engine, tree, changes, parent: record.commit, message, at, identity });
    const stats = await readStats(engine, record.commit, commit);
    // Files that were only touched make a commit like its parent: that is no change.
    return stats.files.length === 0 ? { commit: null, stats } : { commit, stats };
  });
}

function explainGone(params: CollectParams): UserError {
  return new UserError(
    "unavailable",
    `The workspace ${params.name} of ${params.task} is gone, so there is nothing to collect.`,
    "The agent or somebody else removed it; retry the task.",
  );
}
