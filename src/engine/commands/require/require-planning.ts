import type { Pipeline } from "../../../core/pipeline/pipeline.ts";
import { PLANNING_ROLES } from "../../../core/task/role.ts";
import type { TaskDraft } from "../../../core/task/task-draft.ts";
import { UserError } from "../../../core/text/errors.ts";

/** An option that would have no effect is a mistake of the person. */
export function requirePlanning(pipeline: Pipeline, { planningTimeoutMs }: TaskDraft): void {
  const plans = Object.values(pipeline.states).some(
    ({ step }) => step.kind === "agent" && PLANNING_ROLES.includes(step.role),
  );
  if (planningTimeoutMs != null && !plans)
    throw new UserError(
      "invalid",
      `The pipeline "${pipeline.name}" plans nothing, so it has no planning timeout.`,
      "Limit its runs with --timeout.",
    );
}
