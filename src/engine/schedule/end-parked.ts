import { SYSTEM } from "../../core/task/event.ts";
import { utcMinute } from "../../core/schedule/schedule.ts";
import { hasEnded, type QueueReason, type Task } from "../../core/task/task.ts";
import { cleanUp } from "../run/conclude/clean-up.ts";
import { endNow } from "../commands/end-task.ts";
import { findFirstQueued } from "../deliver/find-first-queued.ts";
import type { EnginePorts } from "../ports.ts";
import { transact } from "../transact.ts";

const WAITED_FOR: Readonly<Record<QueueReason, string>> = {
  quota: "its agent's quota",
  login: "a login",
  provider: "an unreachable provider",
  budget: "its budget",
  window: "its time window",
  dependency: "another task",
  capacity: "capacity on this machine",
  backoff: "a retry",
};

/** Ends a night that still waits when the next one starts, with what it waited for as the reason. True if the task has ended. */
export async function endParkedTask(ports: EnginePorts, { id }: Pick<Task, "id">): Promise<boolean> {
  if (!(await isParked(ports, await ports.store.tasks.getTask(id)))) return false;
  const { task } = await transact(ports, id, null, async (before) =>
    // It may have started meanwhile.
    (await isParked(ports, before))
      ? endNow(ports, before, await describeWait(ports, before), SYSTEM)
      : { advance: { task: before, events: [], next: null } },
  );
  if (!hasEnded(task)) return false;
  await cleanUp(ports, id);
  return true;
}

async function isParked({ store }: EnginePorts, task: Task | null): Promise<boolean> {
  if (task?.status !== "queued" || task.queuedFor === null || task.queuedFor.kind === "backoff") return false;
  const runs = await store.tasks.listRuns({ task: task.id, status: ["running", "paused"], project: null, limit: 1 });
  return runs.length === 0;
}

async function describeWait({ store }: EnginePorts, { id, queuedFor, updatedAt }: Task): Promise<string> {
  const kind = queuedFor?.kind ?? "backoff";
  const first = await findFirstQueued(store, id, kind);
  const details = first === null ? "" : ` (${first.summary})`;
  return `it waited for ${WAITED_FOR[kind]} since ${utcMinute(first?.at ?? updatedAt)}, and the next night starts now${details}`;
}
