import { newEvent, SYSTEM, type Actor } from "../core/task/event.ts";
import type { Task } from "../core/task/task.ts";
import type { EnginePorts } from "./ports.ts";
import type { Decision } from "./transact.ts";

export function isParked({ status, queuedFor }: Task): boolean {
  return status === "queued" && queuedFor !== null;
}

/** Lets the next run of a parked task start now. Its next delay is the shortest one again. */
export function wakeTask(
  ports: Pick<EnginePorts, "clock">,
  before: Task,
  summary: string,
  actor: Actor = SYSTEM,
): Decision {
  const at = ports.clock.now();
  const { [`${before.state}:park`]: _parked, ...counters } = before.counters;
  const event = newEvent({ at, task: before.id, type: "run.note", actor, summary });
  return {
    advance: { task: { ...before, counters, queuedFor: null, updatedAt: at }, events: [event], next: null },
    wake: true,
  };
}
