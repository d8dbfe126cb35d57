import { SYSTEM } from "../../core/task/event.ts";
import { utcMinute } from "../../core/schedule/schedule.ts";
import { hasEnded, type QueueReason, type Task } from "../../core/task/task.ts";
import { cleanUp } from "../run/conclude/clean-up.ts";
import { endNow } from "../commands/end-task.ts";
import { firstQueued } from "../deliver/first-queued.ts";
import type { EnginePorts } from "../ports.ts";
import { transact } from "../transact.ts";

const WORDS: Readonly<Record<QueueReason, string>> = {
  quota: "its agent's quota",
  login: "a login",
  provider: "a server that did not answer",
  budget: "its budget",
  window: "its hours",
  dependency: "another task",
  capacity: "room on this machine",
  backoff: "another try",
};

/** A night that still waits when the next one comes would wait for ever: it ends, and says for what it waited. True: it has. */
export async function endParked(ports: EnginePorts, { id }: Pick<Task, "id">): Promise<boolean> {
  if (!(await isParked(ports, await ports.store.tasks.getTask(id)))) return false;
  const { task } = await transact(ports, id, null, async (before) =>
    // Its turn may have come meanwhile.
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
  const taken = await store.tasks.listRuns({ task: task.id, status: ["running", "paused"], project: null, limit: 1 });
  return taken.length === 0;
}

async function describeWait({ store }: EnginePorts, { id, queuedFor, updatedAt }: Task): Promise<string> {
  const kind = queuedFor?.kind ?? "backoff";
  const first = await firstQueued(store, id, kind);
  const said = first === null ? "" : ` (${first.summary})`;
  return `it waited for ${WORDS[kind]} since ${utcMinute(first?.at ?? updatedAt)}, and the next night begins${said}`;
}
