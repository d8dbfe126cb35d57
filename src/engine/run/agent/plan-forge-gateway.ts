import { branchName } from "../../../core/task/branch-name.ts";
import type { Role } from "../../../core/task/role.ts";
import { ForgeError, UserError } from "../../../core/text/errors.ts";
import type { IssuedGateway } from "../../../ports/forge.ts";
import type { RunPaths } from "../../../ports/run-files.ts";
import { planRequest } from "../plan/plan-request.ts";
import type { StepContext } from "../step-context.ts";

/**
 * The gateway to the forge for a run whose plan needs git. Null if the project has no usable forge: then git works in the
 * workspace only. Without the sandbox there is none either, because every program of the machine could use it.
 */
export function planForgeGateway(
  context: StepContext,
  role: Role,
  { filesDir }: Pick<RunPaths, "filesDir">,
): IssuedGateway | null {
  const { ports, project, settings, task } = context;
  if (planRequest(context, role)?.needsGit !== true || settings.sandbox.mode !== "enforce") return null;
  const branch = task.branch ?? branchName(settings.workspace.branch, task);
  try {
    return (
      ports.forges.open(project, settings)?.issueGateway({ branch, defaultBranch: project.defaultBranch, filesDir }) ??
      null
    );
  } catch (error) {
    if (error instanceof ForgeError || error instanceof UserError) return null;
    throw error;
  }
}
