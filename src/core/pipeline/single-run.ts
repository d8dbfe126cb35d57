import { postsReview } from "./pipeline-graph.ts";
import { documentOf, type TaskDocument } from "../task/documents/document.ts";
import { newEvent, type Actor, type EventDraft } from "../task/event.ts";
import type { Role, SingleRole } from "../task/role.ts";
import type { Task, TaskPosition, Trigger, WaitingFor } from "../task/task.ts";
import type { Advance, AdvanceParams } from "./advance/advance.ts";
import { applyOutcome } from "./advance/apply-outcome.ts";
import { countRun } from "./counters.ts";
import type { Pipeline } from "./pipeline.ts";
import { dropOutdatedVerdict } from "./verdict.ts";

/** The position that a task returns to after the single run that it executes. Null if it executes none. */
export function positionOf(trigger: Trigger | null): TaskPosition | null {
  return trigger?.kind === "single" ? (trigger.position ?? null) : null;
}

interface SingleRun {
  readonly task: Task;
  readonly pipeline: Pipeline;
  readonly role: SingleRole;
  readonly actor: Actor;
  readonly at: number;
}

/** Starts one run of a role. The task's state stays the same, and the task returns to its position when the run has ended. */
export function startSingleRun({ task, pipeline, role, actor, at }: SingleRun): Advance {
  const { status, waitingFor, outcome, reason, finishedAt } = task;
  const position: TaskPosition = { status, waitingFor, outcome, reason, finishedAt, trigger: task.trigger };
  const trigger: Trigger = { kind: "single", text: `requested by ${actor.name}`, run: null, position };
  const queued: Task = {
    ...task,
    status: "queued",
    waitingFor: null,
    outcome: null,
    reason: null,
    finishedAt: null,
    order: null,
    trigger,
    updatedAt: at,
  };
  const attempt = (task.counters[`ran:${role}`] ?? 0) + 1;
  const next = { state: stateOf(pipeline, role), step: "agent", role, attempt, notBefore: null, trigger } as const;
  return { task: queued, events: [], next };
}

/** The state whose agent has this role, because its settings apply. Otherwise the first one with an agent. */
function stateOf({ states, start }: Pipeline, role: Role): string {
  const withAgent = Object.values(states).filter(({ step }) => step.kind === "agent");
  const found = withAgent.find(({ step }) => step.kind === "agent" && step.role === role) ?? withAgent[0];
  return found?.name ?? start;
}

/** Keeps what a single run reported: its document or its verdict. A failure or a question only ends the run. */
export function finishSingleRun(given: AdvanceParams, position: TaskPosition): Advance {
  const params = { ...given, outcome: dropOutdatedVerdict(given.outcome, given.task) };
  const { task, outcome, run } = params;
  const keepsReviews = postsReview(params.pipeline);
  const document = run === null ? null : documentOf(outcome, task.documents, { ...params, run: run.id, keepsReviews });
  const applied = countRun(applyOutcome(params, document), params);
  const waitingFor = withNewDocument(position.waitingFor, document);
  const returned = returnToPosition(applied, { ...position, waitingFor }, { at: params.at, run: run?.id ?? null });
  return { ...returned, next: null, ...(document !== null && { document }) };
}

/** A person who decides about a document decides about its newest version. */
function withNewDocument(waiting: WaitingFor | null, document: TaskDocument | null): WaitingFor | null {
  if (waiting?.kind !== "approval" || document === null || waiting.document?.kind !== document.kind) return waiting;
  const { kind, version, hash } = document;
  return { ...waiting, planHash: hash, document: { kind, version } };
}

export function returnToPosition(
  task: Task,
  position: TaskPosition,
  { at, run }: { readonly at: number; readonly run: string | null },
): { readonly task: Task; readonly events: readonly EventDraft[] } {
  const event = newEvent({
    at,
    task: task.id,
    run,
    type: "task.returned",
    summary: `back in "${task.state}" (${position.status})`,
    data: { state: task.state, status: position.status },
  });
  return { task: { ...task, ...position, order: null, queuedFor: null, updatedAt: at }, events: [event] };
}
