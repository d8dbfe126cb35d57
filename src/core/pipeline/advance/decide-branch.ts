import type { AdvanceParams } from "./advance.ts";
import { askAboutCommit } from "./decide-checks.ts";
import type { Move } from "./enter-state.ts";
import type { Option, Task, WaitingFor } from "../../task/task.ts";

const OPTIONS: readonly Option[] = [
  {
    id: "take_over",
    title: "Continue with the branch as it is now",
    description: "The task's own commits are no longer used. Checks and review run again.",
    recommended: true,
  },
  {
    id: "restore",
    title: "Restore the task's commits",
    description: "The task overwrites what is on the branch now with its own commits.",
    recommended: false,
  },
  { id: "reject", title: "Reject it", description: "Cancel the task. The branch stays as it is.", recommended: false },
];

/** Waits until a person decides about a branch that no longer contains what the task published. */
export function askAboutBranch(params: AdvanceParams): Move {
  const { task, outcome, at } = params;
  const commit = outcome.name === "branch_rewritten" ? outcome.payload.commit : null;
  const { summary: reason } = outcome;
  return {
    task: askAboutCommit(task, { commit, options: OPTIONS, reason, at, role: params.run?.role ?? null }),
    waitingFor: { kind: "choice", reason, options: OPTIONS, since: at, about: "branch" },
    next: null,
    end: null,
  };
}

export function isAboutBranch(waiting: WaitingFor | null): boolean {
  return waiting?.kind === "choice" && waiting.about === "branch";
}

/** The task with the person's decision about the newest question. Null if they rejected it. */
export function withBranchDecision(task: Task, option: string): Task | null {
  const commit = task.conversation.at(-1)?.about?.commit;
  if ((option !== "take_over" && option !== "restore") || commit === undefined || task.published == null) return null;
  return { ...task, published: { ...task.published, decision: { commit, choice: option } } };
}
