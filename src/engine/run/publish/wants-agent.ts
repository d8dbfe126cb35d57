import type { StepContext } from "../step-context.ts";

/** Only for the nights, and only where there is a forge whose token could be lent. */
export function wantsAgent({ task, settings }: Pick<StepContext, "task" | "settings">): boolean {
  return task.items !== null && settings.forge !== null && settings.improve.publish === "agent";
}
