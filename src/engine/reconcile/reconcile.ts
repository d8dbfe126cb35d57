import { cleanTask, isDue } from "../run/conclude/clean-up.ts";
import { admissionNow, type EnginePorts } from "../ports.ts";
import { withTaskLock } from "../transact.ts";

/**
 * Admits the runs that may start and submits every open run again; the courier ignores runs that it already has. Runs at the
 * start and on a timer. `isDeferred` selects runs that failed a moment ago.
 */
export async function reconcile(ports: EnginePorts, isDeferred: (run: string) => boolean): Promise<void> {
  for (const run of await ports.store.tasks.admit(admissionNow(ports))) await ports.courier.submit(run);
  for (const { id } of await ports.store.tasks.listOpenRuns()) if (!isDeferred(id)) await ports.courier.submit(id);
}

/** Removes old set-ups and workspaces of ended tasks, including those left by a crash. `kept` remembers failed tasks that are retained for a week. */
export async function sweepWorkspaces(ports: EnginePorts, kept: Set<string>): Promise<void> {
  await ports.workspaces.removeOldSetups();
  for (const id of await ports.workspaces.list())
    try {
      const task = await ports.store.tasks.getTask(id);
      if (task?.status === "failed" && kept.has(id) && !(await isDue(ports, task))) continue;
      await withTaskLock(ports, id, () => cleanTask(ports, id));
      if (task?.status === "failed") kept.add(id);
    } catch (error) {
      // An error in one workspace must not affect the others.
      ports.log.warn("a workspace could not be removed; retrying later", { task: id, error: String(error) });
    }
}
