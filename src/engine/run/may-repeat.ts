import { isInPlace } from "../../core/task/in-place.ts";
import { wasStarted } from "./run-jobs.ts";
import type { StepContext } from "./step-context.ts";

/**
 * Whether the engine may run the step again by itself. An agent that worked in place may have changed a person's files before it
 * failed, so it only continues in its own session, which knows what it did. Otherwise a person decides.
 */
export async function mayRepeat({ ports, task, run }: StepContext): Promise<boolean> {
  if (run.role !== "execute" || !isInPlace(task) || !(await wasStarted(ports, run.id))) return true;
  return (await ports.store.tasks.getRun(run.id))?.sessionId != null;
}
