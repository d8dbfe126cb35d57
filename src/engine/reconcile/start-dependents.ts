import { holdTask, isAboutDependency, isHeld, releaseTask } from "../../core/task/dependencies.ts";
import { holdForFiles, isHeldForOverlap } from "../../core/task/overlap.ts";
import { newEvent } from "../../core/task/event.ts";
import { PRIORITIES, type Task } from "../../core/task/task.ts";
import { checkDependenciesOf } from "../commands/dependencies.ts";
import { findOverlap } from "../overlap.ts";
import type { EnginePorts } from "../ports.ts";
import { listAllTasks } from "../task-pages.ts";
import { transact, withFilesLock, type Decision } from "../transact.ts";

/**
 * Starts tasks whose dependencies have succeeded and whose files no other task works on. Lets a person decide about those whose
 * dependencies did not succeed. The decision depends only on the store, so it is the same after a restart.
 */
export async function startDependents(ports: EnginePorts): Promise<void> {
  for (const task of await listDependents(ports)) {
    if ((await decide(ports, task)) === null) continue;
    const start = async (before: Task): Promise<Decision> =>
      (await decide(ports, before)) ?? { advance: { task: before, events: [], next: null } };
    await withFilesLock(ports, () => transact(ports, task.id, null, start));
  }
}

/** Null if nothing changes. A failed dependency may have been retried meanwhile. */
async function decide(ports: EnginePorts, task: Task): Promise<Decision | null> {
  const isAsking = isAboutDependency(task.waitingFor);
  if (!isAsking && !(task.status === "queued" && task.queuedFor?.kind === "dependency")) return null;
  if (isHeldForOverlap(task)) return startUnlessOverlapping(ports, task, "no other task works on the same files now");
  const check = await checkDependenciesOf(ports, task);
  if (check.kind === "ready") return startUnlessOverlapping(ports, task, "the tasks that it waited for succeeded");
  const known = task.waitingFor?.kind === "choice" ? task.waitingFor.reason : task.queuedFor?.reason;
  if (isAsking === (check.kind === "blocked") && known === check.reason) return null;
  return { advance: { ...holdTask(task, check, ports.clock.now()), next: null } };
}

async function startUnlessOverlapping(ports: EnginePorts, task: Task, summary: string): Promise<Decision | null> {
  const overlap = await findOverlap(ports, task);
  const at = ports.clock.now();
  if (overlap === null) {
    const event = newEvent({ at, task: task.id, type: "run.note", summary });
    const released = releaseTask(task, at);
    return { advance: { task: released, events: [event], next: null }, wake: !isHeld(released) };
  }
  const held = holdForFiles(releaseTask(task, at), overlap, at);
  if (held.task.queuedFor?.reason === task.queuedFor?.reason) return null;
  return { advance: { ...held, next: null } };
}

/** In the order in which they are to start. */
async function listDependents(ports: EnginePorts): Promise<readonly Task[]> {
  const queued = await listAllTasks(ports, { status: ["queued"], queuedFor: "dependency" });
  const asking = await listAllTasks(ports, { status: ["waiting"], about: "dependency" });
  return [...queued, ...asking].toSorted(
    (a, b) => PRIORITIES.indexOf(b.priority) - PRIORITIES.indexOf(a.priority) || a.createdAt - b.createdAt,
  );
}
