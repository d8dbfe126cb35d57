import { holdTask, isAboutDependency, isHeld, releaseTask } from "../../core/task/dependencies.ts";
import { newEvent } from "../../core/task/event.ts";
import type { Task } from "../../core/task/task.ts";
import { checkDependenciesOf } from "../commands/dependencies.ts";
import type { EnginePorts } from "../ports.ts";
import { listAllTasks } from "./list-all-tasks.ts";
import { transact, type Decision } from "../transact.ts";

/**
 * Starts tasks whose dependencies have succeeded, and lets a person decide about those whose dependencies did not. The
 * decision depends only on the store, so it is the same after a restart.
 */
export async function startDependents(ports: EnginePorts): Promise<void> {
  for (const task of await listDependents(ports)) {
    if ((await decide(ports, task)) === null) continue;
    await transact(
      ports,
      task.id,
      null,
      async (before) => (await decide(ports, before)) ?? { advance: { task: before, events: [], next: null } },
    );
  }
}

/** Null if nothing changes. A failed dependency may have been retried meanwhile. */
async function decide(ports: EnginePorts, task: Task): Promise<Decision | null> {
  const isAsking = isAboutDependency(task.waitingFor);
  if (!isAsking && !(task.status === "queued" && task.queuedFor?.kind === "dependency")) return null;
  const check = await checkDependenciesOf(ports, task);
  const at = ports.clock.now();
  if (check.kind === "ready") {
    const event = newEvent({ at, task: task.id, type: "run.note", summary: "the tasks that it waited for succeeded" });
    const released = releaseTask(task, at);
    return { advance: { task: released, events: [event], next: null }, wake: !isHeld(released) };
  }
  const known = task.waitingFor?.kind === "choice" ? task.waitingFor.reason : task.queuedFor?.reason;
  if (isAsking === (check.kind === "blocked") && known === check.reason) return null;
  return { advance: { ...holdTask(task, check, at), next: null } };
}

async function listDependents({ store }: EnginePorts): Promise<readonly Task[]> {
  return [
    ...(await listAllTasks(store, { status: ["queued"], queuedFor: "dependency" })),
    ...(await listAllTasks(store, { status: ["waiting"], about: "dependency" })),
  ];
}
