import type { Pipeline } from "../pipeline/pipeline.ts";
import type { Task } from "./task.ts";

/** Stay read-only in the directory of an in-place task: they decide which programs git and Nightshift run. */
export const PROTECTED_NAMES = [".git", ".nightshift", "nightshift.yaml"];

/** Whether the task's agents work directly in the project's directory, without a workspace. */
export function isInPlace({ options }: Pick<Task, "options">): boolean {
  return options.inPlace === true;
}

/** A directory without a git repository is registered without a remote. */
export function isPlainDirectory({ remote }: { readonly remote: string }): boolean {
  return remote === "";
}

/** Whether the pipeline works without commits: agents carry out a plan, and nothing is checked or published. */
export function canWorkInPlace({ plan, states }: Pick<Pipeline, "plan" | "states">): boolean {
  const needsCommits = Object.values(states).some(({ step }) => ["checks", "publish", "post"].includes(step.kind));
  return plan === "execution" && !needsCommits;
}
