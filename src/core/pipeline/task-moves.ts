import { describeStatus } from "../task/describe-status.ts";
import type { TaskStatus } from "../task/task.ts";
import { possibleActions, type TaskFacts } from "./possible-actions.ts";
import type { Role } from "../task/role.ts";
import type { EndStatus, Step, WaitKind } from "./pipeline.ts";

/** What a move of a task to another column would do. The engine checks it again. */
export type TaskMove =
  | { readonly kind: "action"; readonly action: MoveAction; readonly from: string | null; readonly effect: string }
  | { readonly kind: "refused"; readonly reason: string };

export type MoveAction = "retry" | "pause" | "resume" | "cancel";

export interface MovableTask extends TaskFacts {
  readonly status: TaskStatus;
  readonly state: string;
  /** Whether there is work that checks or a review could be about. */
  readonly hasChange: boolean;
  /** Whether it has a plan, a design or another document that a person can decide about. */
  readonly hasDocument: boolean;
}

/** Null if the task is in the column already. */
export function moveToStatus(task: MovableTask, to: TaskStatus): TaskMove | null {
  if (task.status === to) return null;
  switch (to) {
    case "queued":
    case "running":
      return moveToWork(task, to);
    case "waiting":
      return refuse("Only a step of the pipeline can ask a person.");
    case "paused":
      return allowed(task, "pause") ?? refuse(notPossible(task, "Only a queued or running task can be paused"));
    case "cancelled":
      return allowed(task, "cancel") ?? refuse(notPossible(task, "It cannot be cancelled"));
    case "failed":
      return refuse("Only a step of the pipeline can fail.");
    case "succeeded":
      return refuse(describeSuccess(task));
  }
}

function moveToWork(task: MovableTask, to: "queued" | "running"): TaskMove {
  const move = allowed(task, "resume") ?? allowed(task, "retry");
  if (move !== null) return move;
  switch (task.status) {
    case "queued":
      return refuse("It starts when a slot is free.");
    case "running":
      return refuse("It is running. Pause it to stop its work.");
    case "succeeded":
      return refuse("It has succeeded. A follow-up continues it.");
    case "waiting":
      return refuse(describeDecision(task.waitsFor ?? null));
    default:
      return refuse(notPossible(task, `It cannot be moved to ${to}`));
  }
}

/** One state of the pipeline, as a column. */
export interface MoveTarget {
  readonly name: string;
  readonly kind: Step["kind"];
  readonly role: Role | null;
  readonly end: EndStatus | null;
  readonly isStart: boolean;
}

/** Null if the task is in the column already. */
export function moveToState(task: MovableTask, to: MoveTarget): TaskMove | null {
  if (task.state === to.name) return null;
  if (to.end !== null) return moveToEnd(task, to.end);
  if (task.status !== "failed" && task.status !== "cancelled") return refuse(describeStaying(task));
  if (task.isNight === true && !to.isStart) return refuse("A nightly improvement starts again from its first state.");
  const problem = to.isStart ? null : findMissing(task, to);
  if (problem !== null) return refuse(problem);
  return { kind: "action", action: "retry", from: to.name, effect: `Retry from ${to.name}` };
}

function findMissing({ hasChange, hasDocument }: MovableTask, { kind, role }: MoveTarget): string | null {
  if (hasChange || (kind === "agent" && role !== "review")) return null;
  if (kind === "wait") return hasDocument ? null : "Not possible: there is nothing to decide about yet.";
  return "Not possible: there is no change yet.";
}

function moveToEnd(task: MovableTask, end: EndStatus): TaskMove {
  if (end === "cancelled") return allowed(task, "cancel") ?? refuse(notPossible(task, "It cannot be cancelled"));
  return refuse(end === "succeeded" ? describeSuccess(task) : "Only a step of the pipeline can fail.");
}

const EFFECTS: Readonly<Record<MoveAction, string>> = {
  retry: "Retry",
  pause: "Pause",
  resume: "Resume",
  cancel: "Cancel",
};

function allowed(task: MovableTask, action: MoveAction): TaskMove | null {
  if (!possibleActions(task.status, task).includes(action)) return null;
  return { kind: "action", action, from: null, effect: EFFECTS[action] };
}

function refuse(reason: string): TaskMove {
  return { kind: "refused", reason };
}

function notPossible({ status }: MovableTask, what: string): string {
  return `${what}: ${describeStatus(status)}.`;
}

function describeSuccess(task: MovableTask): string {
  return task.status === "waiting" && task.waitsFor === "merge"
    ? "It is done when its change is merged."
    : "A task succeeds at the end of its pipeline.";
}

function describeStaying(task: MovableTask): string {
  if (task.status === "waiting") return describeDecision(task.waitsFor ?? null);
  if (task.status === "succeeded") return "It has succeeded. A follow-up continues it.";
  return `Only a failed or cancelled task can be retried: ${describeStatus(task.status)}.`;
}

const DECISIONS: Readonly<Record<WaitKind, string>> = {
  approval: "It continues when you approve its plan.",
  answers: "It continues when you answer its questions.",
  choice: "It continues when you choose an option.",
  review: "It continues when you approve its review.",
  merge: "It continues when you merge its change.",
};

function describeDecision(waitsFor: WaitKind | null): string {
  return waitsFor === null ? "It waits for a person." : DECISIONS[waitsFor];
}
