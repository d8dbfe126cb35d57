import { newEvent } from "../../core/task/event.ts";
import { hasEnded } from "../../core/task/task.ts";
import type { EnginePorts } from "../ports.ts";
import { withTaskLock } from "../transact.ts";

const DAY_MS = 86_400_000;
const MAX_RUNS = 10_000;

/**
 * Returns work that removes the files of runs (prompts, transcripts, check logs, diffs) whose task ended longer ago than
 * `retention`, and the daemon's log of those days. Tasks, costs and the ledger stay in the store, and unpublished work keeps
 * its rescue ref.
 */
export function createRetentionSweep(ports: EnginePorts): () => Promise<void> {
  let doneUntil: number | null = null;
  return async () => {
    const retentionMs = await ports.host.retention.readMs();
    if (retentionMs === null) return;
    const before = ports.clock.now() - retentionMs;
    // The first time, all files are listed. After that, only tasks whose time has come since.
    const tasks =
      doneUntil === null
        ? await findTasksWithOldFiles(ports, before)
        : await ports.store.tasks.listEndedTaskIds(doneUntil, before);
    for (const task of tasks) await withTaskLock(ports, task, () => removeFiles(ports, task, before, retentionMs));
    await ports.host.retention.removeLogs(before);
    doneUntil = Math.max(before, doneUntil ?? before);
  };
}

async function findTasksWithOldFiles(ports: EnginePorts, before: number): Promise<Iterable<string>> {
  const tasks = new Set<string>();
  for (const id of await ports.runFiles.listOldRuns(before)) {
    const run = await ports.store.tasks.getRun(id);
    // A crash during the deletion of a task can leave files without a task.
    if (run === null) await ports.runFiles.removeRun(id);
    else tasks.add(run.task);
  }
  return tasks;
}

async function removeFiles(ports: EnginePorts, id: string, before: number, retentionMs: number): Promise<void> {
  const task = await ports.store.tasks.getTask(id);
  if (task === null || !hasEnded(task) || (task.finishedAt ?? Number.POSITIVE_INFINITY) >= before) return;
  const runs = await ports.store.tasks.listRuns({ task: id, status: null, project: null, limit: MAX_RUNS });
  for (const run of runs) await ports.runFiles.removeRun(run.id);
  const days = Math.round(retentionMs / DAY_MS);
  const summary = `removed its transcripts and logs, because it ended more than ${days} days ago (retention)`;
  await ports.store.events.appendEvents([
    newEvent({ at: ports.clock.now(), task: id, type: "task.files_removed", summary, data: { days } }),
  ]);
}
