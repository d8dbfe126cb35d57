import type { CHOICE_SUBJECTS } from "./task.ts";

interface ChoiceFacts {
  readonly about: (typeof CHOICE_SUBJECTS)[number] | null;
  /** The state that the task waits in. */
  readonly state: string;
}

/** Whether this option lets a change through that the checks or the diff policy do not vouch for. Then it needs a reason. */
export function needsNote({ about, state }: ChoiceFacts, option: string): boolean {
  if (about === "findings") return option === state;
  return about === "checks" && option !== "reject";
}
