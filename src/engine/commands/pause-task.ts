import { UserError } from "../../core/text/errors.ts";
import type { Actor, EventDraft } from "../../core/task/event.ts";
import { hasEnded, type Task, type TaskStatus } from "../../core/task/task.ts";
import type { EnginePorts } from "../ports.ts";
import { transact } from "../transact.ts";

/** No run of the task starts or continues until it is resumed. The watcher of an executing run stops its process tree. */
export async function pause(ports: EnginePorts, id: string, actor: Actor): Promise<Task> {
  const { task } = await transact(ports, id, null, (before) => {
    if (before.status === "paused" || before.status === "waiting" || hasEnded(before))
      throw wrongStatus(before, "pause", "queued or running");
    return changeStatus(ports, before, { status: "paused", type: "task.paused", actor });
  });
  return task;
}

export async function resume(ports: EnginePorts, id: string, actor: Actor): Promise<Task> {
  const { task } = await transact(ports, id, null, async (before) => {
    if (before.status !== "paused") throw wrongStatus(before, "resume", "paused");
    const open = await ports.store.tasks.listRuns({ task: id, status: ["running", "paused"], project: null, limit: 1 });
    return changeStatus(ports, before, { status: open.length > 0 ? "running" : "queued", type: "task.resumed", actor });
  });
  return task;
}

interface StatusChange {
  readonly status: TaskStatus;
  readonly type: "task.paused" | "task.resumed";
  readonly actor: Actor;
}

function changeStatus(
  ports: EnginePorts,
  before: Task,
  { status, type, actor }: StatusChange,
): { advance: { task: Task; events: readonly EventDraft[]; next: null } } {
  const at = ports.clock.now();
  const summary = `${type === "task.paused" ? "paused" : "resumed"} by ${actor.name}`;
  const event: EventDraft = { at, task: before.id, run: null, type, level: "info", actor, summary, data: {} };
  return { advance: { task: { ...before, status, updatedAt: at }, events: [event], next: null } };
}

function wrongStatus(task: Task, verb: string, allowed: string): UserError {
  return new UserError(
    "conflict",
    `Cannot ${verb} ${task.id}: it is ${task.status}.`,
    `Only a task that is ${allowed} can be ${verb}d.`,
  );
}
