import type { TaskStatus } from "../task/task.ts";
import type { Pipeline, WaitKind } from "./pipeline.ts";

const BY_WAIT: Readonly<Record<WaitKind, readonly string[]>> = {
  approval: ["approve", "revise", "reject"],
  answers: ["answer"],
  choice: ["choose"],
  review: ["approve", "comment", "follow-up", "reject"],
  merge: ["merge", "comment", "follow-up", "reject"],
};

export interface TaskFacts {
  readonly waitsFor?: WaitKind | null;
  readonly isParked?: boolean;
  /** A nightly improvement chooses its own work, so it cannot be continued. */
  readonly isNight?: boolean;
  /** False if the pipeline has no edge for a person's review; see `takesComments`. */
  readonly takesComments?: boolean;
}

/** True if a person's review comments have somewhere to go from this state. Pipelines of earlier versions may have no edge for them. */
export function takesComments({ states }: Pipeline, state: string): boolean {
  const found = states[state];
  if (found?.step.kind !== "wait" || !REVIEWED_WAITS.includes(found.step.for)) return false;
  return (found.on.changes_requested ?? []).length > 0;
}

/** The waits in which a person looks at a finished change. */
export const REVIEWED_WAITS: readonly WaitKind[] = ["review", "merge"];

/** The commands that a person can use on a task in this status. */
export function possibleActions(
  status: TaskStatus,
  { waitsFor = null, isParked = false, isNight = false, takesComments: isCommentable = true }: TaskFacts = {},
): readonly string[] {
  const followUp = isNight ? [] : ["follow-up"];
  switch (status) {
    case "queued":
      return [...(isParked ? ["retry"] : []), "pause", "cancel", "kill"];
    case "running":
      return ["pause", "cancel", "kill"];
    case "paused":
      return ["resume", "cancel", "kill"];
    case "waiting":
      return [...actionsInWait(waitsFor, isCommentable), "cancel"];
    case "failed":
    case "cancelled":
      return ["retry", ...followUp, "delete"];
    case "succeeded":
      return [...followUp, "delete"];
  }
}

function actionsInWait(waitsFor: WaitKind | null, isCommentable: boolean): readonly string[] {
  if (waitsFor === null) return [];
  return BY_WAIT[waitsFor].filter((action) => action !== "comment" || isCommentable);
}
