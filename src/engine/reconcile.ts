import { hasEnded } from "../core/task.ts";
import { cleanUpTask, closeTrees, isDue, runOfTree } from "./clean-up.ts";
import { admissionNow, type EnginePorts } from "./ports.ts";
import { orderJobs } from "./run-jobs.ts";

/**
 * Makes the books true: at the start and on a timer, always the same code. Every open run is handed out again (whoever
 * has it already shrugs), what may start is let in, and what nobody needs any more is removed.
 */
export async function reconcile(ports: EnginePorts): Promise<void> {
  for (const run of await ports.store.admit(admissionNow(ports))) await ports.courier.submit(run);
  for (const run of await ports.store.listOpenRuns()) await ports.courier.submit(run.id);
}

/** Trees of runs and tasks that have ended, also those that a crash left behind. `seen` holds the failed tasks that are kept for a while. */
export async function sweepWorkspaces(ports: EnginePorts, seen: Set<string>): Promise<void> {
  for (const { task: id, names } of await ports.workspaces.list()) {
    const task = await ports.store.getTask(id);
    if (task !== null && !hasEnded(task)) {
      await closeTrees(ports, task, []);
      continue;
    }
    if (task !== null && seen.has(id) && !isDue(ports, task)) continue;
    seen.add(id);
    // A supervisor that was started in the very moment its task was cancelled works for nobody.
    for (const name of names) await orderJobs(ports, runOfTree(name), "kill");
    if (task === null) await ports.workspaces.remove(id);
    else await cleanUpTask(ports, task);
  }
}
