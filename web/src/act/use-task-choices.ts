import { explainActions, type PersonAction } from "../../../src/core/pipeline/explain-actions.ts";
import type { Right } from "../../../src/core/task/requester.ts";
import type { TaskJson } from "../../../src/http/client/client.ts";
import { useRefusal } from "../app/session.ts";
import { ACTION_WORDS, labelOf } from "./action-words.ts";
import { factsOf } from "./task-facts.ts";

export interface TaskChoice {
  readonly action: PersonAction;
  readonly label: string;
  /** Why it is not possible now, as a sentence. */
  readonly refusal: string | null;
  readonly isDanger: boolean;
}

/** Decisions are only offered while the task waits for one. */
const DECISIONS: readonly PersonAction[] = ["approve", "answer", "choose", "merge", "comment", "revise", "reject"];
const DANGER: readonly PersonAction[] = ["cancel", "kill", "delete"];

/** Returns a function that lists what the person can do with a task, first what is possible. */
export function useTaskChoices(): (task: TaskJson) => readonly TaskChoice[] {
  const missing: Readonly<Record<Right, string | null>> = {
    submit: useRefusal("submit", "Changing a task"),
    approve: useRefusal("approve", "Deciding about a task"),
    admin: useRefusal("admin", "Deleting a task"),
  };
  return (task) => {
    const offered = explainActions(task.status, factsOf(task)).filter(
      ({ name, refusal }) => refusal === null || !DECISIONS.includes(name),
    );
    const choices = offered.map(({ name, refusal }): TaskChoice => {
      const reason = refusal === null ? missing[ACTION_WORDS[name].right] : `Not possible: ${refusal}.`;
      return { action: name, label: labelOf(name, task), refusal: reason, isDanger: DANGER.includes(name) };
    });
    return [...choices.filter(({ refusal }) => refusal === null), ...choices.filter(({ refusal }) => refusal !== null)];
  };
}
