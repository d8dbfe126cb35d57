import type { Advance, AdvanceParams, NextRun } from "./advance.ts";
import type { Move } from "./enter-state.ts";
import { SYSTEM, type EventDraft } from "../task/event.ts";
import { HELD } from "../task/run.ts";
import type { Task } from "../task/task.ts";
import { waitsForVariants } from "../task/variants.ts";

/** Applies the move to the task and creates its events. */
export function recordMove(params: AdvanceParams, move: Move): Advance {
  const task = moveTask(params, move);
  return { task, events: describeMove(params, task, move), next: move.next === null ? null : nextRun(move.next, task) };
}

function moveTask({ task: before, outcome, at }: AdvanceParams, { task, waitingFor, next, end, pause }: Move): Task {
  const isPaused = (before.status === "paused" || pause === true) && end === null && waitingFor === null;
  return {
    ...task,
    status: end?.status ?? (isPaused ? "paused" : next === null ? "waiting" : "queued"),
    waitingFor,
    queuedFor: next?.queuedFor ?? null,
    outcome: end === null ? task.outcome : (end.outcome ?? outcome.name),
    reason: end === null ? task.reason : end.reason,
    finishedAt: end === null ? null : at,
    updatedAt: at,
  };
}

function describeMove(
  { task: from, outcome, at, run, actor, facts }: AdvanceParams,
  to: Task,
  { next, end, pause }: Move,
): readonly EventDraft[] {
  const base = { at, task: to.id, run: run?.id ?? null, actor: run === null ? actor : SYSTEM, level: "info" as const };
  const events: EventDraft[] = [];
  if (from.state !== to.state || next?.again !== true)
    events.push({
      ...base,
      type: "task.state",
      summary:
        from.state === to.state ? `${to.state}: ${outcome.name}` : `${from.state} → ${to.state} (${outcome.name})`,
      data: { from: from.state, to: to.state, outcome: outcome.name },
    });
  if (to.waitingFor !== null)
    events.push({
      ...base,
      type: "task.waiting",
      summary: `waits for ${to.waitingFor.kind}`,
      // The engine merges it by itself, so people are notified only if it cannot.
      data: { kind: to.waitingFor.kind, ...(to.waitingFor.kind === "merge" && facts.auto_merge && { auto: true }) },
    });
  if (to.queuedFor !== null) {
    const { kind, until, agent } = to.queuedFor;
    const hasVariants = waitsForVariants(to);
    events.push({
      ...base,
      type: "task.queued",
      level: hasVariants ? "info" : "warning",
      summary: (hasVariants ? to.queuedFor.reason : undefined) ?? `${outcome.name}: ${outcome.summary}`,
      data: { kind, until, outcome: outcome.name, ...(agent !== undefined && { agent }) },
    });
  }
  if (pause === true && to.status === "paused")
    events.push({
      ...base,
      type: "task.paused",
      summary: `stopped after "${from.state}" as requested`,
      data: { after: from.state },
    });
  if (end !== null)
    events.push({
      ...base,
      type: "task.ended",
      level: end.status === "failed" ? "error" : "info",
      summary: `${end.status}: ${end.reason}`,
      data: { status: end.status, outcome: end.outcome ?? outcome.name },
    });
  return events;
}

function nextRun(next: NonNullable<Move["next"]>, task: Task): NextRun {
  return {
    state: task.state,
    step: next.step,
    role: next.role,
    attempt: (task.counters[`ran:${next.role ?? next.step}`] ?? 0) + 1,
    notBefore: notBeforeOf(task),
    trigger: task.trigger,
  };
}

function notBeforeOf({ queuedFor }: Task): number | null {
  if (waitsForVariants({ queuedFor })) return HELD;
  // A run of a parked agent starts when the agent is used again, which may be earlier.
  return queuedFor?.agent === undefined ? (queuedFor?.until ?? null) : null;
}
