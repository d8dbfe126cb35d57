import type { TaskStatus } from "../task/task.ts";
import type { WaitKind } from "./pipeline.ts";

const BY_WAIT: Readonly<Record<WaitKind, readonly string[]>> = {
  approval: ["approve", "revise", "reject"],
  answers: ["answer"],
  choice: ["choose"],
  review: ["approve", "follow-up", "reject"],
  merge: ["merge", "follow-up", "reject"],
};

interface TaskFacts {
  readonly waitsFor?: WaitKind | null;
  readonly isParked?: boolean;
  /** A nightly improvement chooses its own work, so it cannot be continued. */
  readonly isNight?: boolean;
}

/** The commands that a person can use on a task in this status. */
export function possibleActions(
  status: TaskStatus,
  { waitsFor = null, isParked = false, isNight = false }: TaskFacts = {},
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
      return [...(waitsFor === null ? [] : BY_WAIT[waitsFor]), "cancel"];
    case "failed":
    case "cancelled":
      return ["retry", ...followUp, "delete"];
    case "succeeded":
      return [...followUp, "delete"];
  }
}
