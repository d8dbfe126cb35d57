import { cleanTask, isDue } from "../run/conclude/clean-up.ts";
import { admissionNow, type EnginePorts } from "../ports.ts";
import { withTaskLock } from "../task-lock.ts";

/**
 * Makes the books true: at the start and on a timer, always the same code. Every open run is handed out again (whoever
 * has it already shrugs), and what may start is let in. `isHeld`: runs that were let go of a moment ago.
 */
export async function reconcile(ports: EnginePorts, isHeld: (run: string) => boolean): Promise<void> {
  for (const run of await ports.store.tasks.admit(admissionNow(ports))) await ports.courier.submit(run);
  for (const { id } of await ports.store.tasks.listOpenRuns()) if (!isHeld(id)) await ports.courier.submit(id);
}

/** Trees of runs and tasks that have ended, also those that a crash left behind. `kept`: failed tasks that wait for their week to pass. */
export async function sweepWorkspaces(ports: EnginePorts, kept: Set<string>): Promise<void> {
  for (const id of await ports.workspaces.list())
    try {
      const task = await ports.store.tasks.getTask(id);
      if (task?.status === "failed" && kept.has(id) && !(await isDue(ports, task))) continue;
      await withTaskLock(ports, id, () => cleanTask(ports, id));
      if (task?.status === "failed") kept.add(id);
    } catch (error) {
      // One tree that cannot be removed must not keep all the others.
      ports.log.warn("a workspace could not be swept; it is tried again", { task: id, error: String(error) });
    }
}
