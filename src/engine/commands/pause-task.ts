import { UserError } from "../../core/text/errors.ts";
import type { Actor, EventDraft } from "../../core/task/event.ts";
import { hasEnded, type Task, type TaskStatus } from "../../core/task/task.ts";
import type { EnginePorts } from "../ports.ts";
import { transact } from "../transact.ts";

/** Nothing of the task runs or starts until it is resumed. Whoever watches its run stops the process tree. */
export async function pause(ports: EnginePorts, id: string, actor: Actor): Promise<Task> {
  const { task } = await transact(ports, id, null, (before) => {
    if (before.status === "paused" || before.status === "waiting" || hasEnded(before))
      throw refuse(before, "pause", "queued or running");
    return move(ports, before, { status: "paused", type: "task.paused", actor });
  });
  return task;
}

export async function resume(ports: EnginePorts, id: string, actor: Actor): Promise<Task> {
  const { task } = await transact(ports, id, null, async (before) => {
    if (before.status !== "paused") throw refuse(before, "resume", "paused");
    const open = await ports.store.tasks.listRuns({ task: id, status: ["running", "paused"], project: null, limit: 1 });
    return move(ports, before, { status: open.length > 0 ? "running" : "queued", type: "task.resumed", actor });
  });
  return task;
}

interface Change {
  readonly status: TaskStatus;
  readonly type: "task.paused" | "task.resumed";
  readonly actor: Actor;
}

function move(
  ports: EnginePorts,
  before: Task,
  { status, type, actor }: Change,
): { advance: { task: Task; events: readonly EventDraft[]; next: null } } {
  const at = ports.clock.now();
  const summary = `${type === "task.paused" ? "paused" : "resumed"} by ${actor.name}`;
  const event: EventDraft = { at, task: before.id, run: null, type, level: "info", actor, summary, data: {} };
  return { advance: { task: { ...before, status, updatedAt: at }, events: [event], next: null } };
}

function refuse(task: Task, verb: string, allowed: string): UserError {
  return new UserError(
    "conflict",
    `cannot ${verb} ${task.id}: it is ${task.status}`,
    `only a task that is ${allowed} can be ${verb}d`,
  );
}
