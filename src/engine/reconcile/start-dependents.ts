import { holdTask, isAboutDependency, isHeld, releaseTask } from "../../core/task/dependencies.ts";
import { newEvent } from "../../core/task/event.ts";
import type { Task } from "../../core/task/task.ts";
import type { Page } from "../../ports/store.ts";
import { checkDependenciesOf } from "../commands/dependencies.ts";
import type { EnginePorts } from "../ports.ts";
import { transact, type Decision } from "../transact.ts";

const PAGE = 200;

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
  if (!isAsking && !(task.status === "queued" && isHeld(task))) return null;
  const check = await checkDependenciesOf(ports, task);
  const at = ports.clock.now();
  if (check.kind === "ready") {
    const event = newEvent({ at, task: task.id, type: "run.note", summary: "the tasks that it waited for succeeded" });
    return { advance: { task: releaseTask(task, at), events: [event], next: null }, wake: true };
  }
  const known = task.waitingFor?.kind === "choice" ? task.waitingFor.reason : task.queuedFor?.reason;
  if (isAsking === (check.kind === "blocked") && known === check.reason) return null;
  return { advance: { ...holdTask(task, check, at), next: null } };
}

async function listDependents({ store }: EnginePorts): Promise<readonly Task[]> {
  const queries = [
    { status: ["queued"], queuedFor: "dependency" },
    { status: ["waiting"], about: "dependency" },
  ] as const;
  const found: Task[] = [];
  for (const query of queries)
    for (let cursor: string | null = null; ;) {
      const page: Page<Task> = await store.tasks.listTasks({
        ...query,
        state: null,
        project: null,
        limit: PAGE,
        cursor,
      });
      found.push(...page.rows);
      cursor = page.next;
      if (cursor === null) break;
    }
  return found;
}
