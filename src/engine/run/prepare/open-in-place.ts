import type { Role } from "../../../core/task/role.ts";
import { UserError } from "../../../core/text/errors.ts";
import type { Workspace } from "../../../ports/workspace.ts";
import { planRequest, planRoot } from "../plan/plan-request.ts";
import { refuseInPlace } from "../plan/refuse-in-place.ts";
import { StepEnd, type StepContext } from "../step-context.ts";
import { grantFor } from "./sandbox-policy.ts";

/**
 * The project's own directory as the place where an agent works. Checks again what was checked before the approval, because the
 * directory may have been removed or replaced since.
 */
export async function openInPlace(context: StepContext, role: Role): Promise<Workspace> {
  const { ports, project } = context;
  const problems = await refuseInPlace(context, planRequest(context, role)?.directories ?? []);
  if (problems.length > 0) throw new StepEnd("sandbox_refused", problems.join("\n"));
  const path = planRoot({ project });
  await ports.checkouts.makeDirectories(path, grantFor(context, role).inWorkspace).catch((error: unknown) => {
    if (error instanceof UserError && error.kind === "invalid") throw new StepEnd("sandbox_refused", error.message);
    throw error;
  });
  return { path, commit: "", objects: [], links: [], ports: null };
}
