import { UserError } from "../../core/text/errors.ts";
import type { Actor } from "../../core/task/event.ts";
import { hasEnded } from "../../core/task/task.ts";
import type { EnginePorts } from "../ports.ts";
import { withTaskLock } from "../task-lock.ts";
import { readTask } from "../transact.ts";

/** Removes the files first, so a crash in between leaves a task that can be deleted again instead of orphaned files. */
export async function removeTask(ports: EnginePorts, id: string, actor: Actor): Promise<void> {
  await withTaskLock(ports, id, () => removeAll(ports, id, actor));
}

async function removeAll(ports: EnginePorts, id: string, actor: Actor): Promise<void> {
  const task = await readTask(ports, id);
  if (!hasEnded(task))
    throw new UserError(
      "conflict",
      `Cannot delete ${id}: it is ${task.status}.`,
      `Run "nightshift cancel ${id}" first.`,
    );
  const runs = await ports.store.tasks.listRuns({ task: id, status: null, project: null, limit: 10_000 });
  await ports.workspaces.remove(id);
  await ports.runFiles.cleanTask(id);
  for (const run of runs) await ports.runFiles.removeRun(run.id);
  await ports.store.tasks.deleteTask(id, {
    at: ports.clock.now(),
    task: id,
    run: null,
    type: "task.deleted",
    level: "info",
    actor,
    summary: `deleted: ${task.title}`,
    data: { runs: runs.length },
  });
}
