import { describeStatus } from "../task/describe-status.ts";
import { hasEnded, type TaskStatus } from "../task/task.ts";

export interface IdleFacts {
  readonly isNight: boolean;
  readonly hasChange: boolean;
  readonly isPublished: boolean;
  readonly isInPlace: boolean;
}

/** Why a single role cannot run on the task now, as a clause. Null if it can. */
export function explainRunRole(status: TaskStatus, { isNight }: Pick<IdleFacts, "isNight">): string | null {
  if (isNight) return "a nightly improvement chooses its own work";
  return hasEnded({ status }) || status === "waiting" ? null : describeStatus(status);
}

/** Why the task's files cannot be brought over to the checkout now, as a clause. Null if they can. */
export function explainApply(status: TaskStatus, { hasChange, isPublished, isInPlace }: IdleFacts): string | null {
  if (!hasEnded({ status })) return "it has not ended";
  if (isInPlace) return "it worked in the project's directory, so its files are there";
  if (isPublished) return "its change is published on a branch";
  return hasChange ? null : "it left no files";
}
