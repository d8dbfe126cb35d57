import { describeStatus } from "../task/describe-status.ts";
import type { TaskStatus } from "../task/task.ts";
import { possibleActions, type TaskFacts } from "./possible-actions.ts";

/** What a person can do with a task, in the order in which it is offered. */
export const PERSON_ACTIONS = [
  "approve",
  "answer",
  "choose",
  "merge",
  "comment",
  "revise",
  "reject",
  "resume",
  "retry",
  "follow-up",
  "pause",
  "cancel",
  "kill",
  "delete",
] as const;
export type PersonAction = (typeof PERSON_ACTIONS)[number];

export interface ExplainedAction {
  readonly name: PersonAction;
  /** Why the action is not possible now, as a clause: "it is running". Null if it is possible. */
  readonly refusal: string | null;
}

/** All actions on a task, first those that are possible. */
export function explainActions(status: TaskStatus, facts: TaskFacts = {}): readonly ExplainedAction[] {
  const possible = possibleActions(status, facts);
  const explained = PERSON_ACTIONS.map((name) => ({
    name,
    refusal: possible.includes(name) ? null : describeRefusal(name, status, facts),
  }));
  return [
    ...explained.filter(({ refusal }) => refusal === null),
    ...explained.filter(({ refusal }) => refusal !== null),
  ];
}

function describeRefusal(name: PersonAction, status: TaskStatus, { isNight = false }: TaskFacts): string {
  if (name === "follow-up" && isNight) return "a nightly improvement chooses its own work";
  if (name === "retry" && status === "queued") return "it is queued already";
  if (name === "delete") return "it has not ended";
  return describeStatus(status);
}
