import type { Pipeline } from "../../../core/pipeline/pipeline.ts";
import { UserError } from "../../../core/text/errors.ts";
import { placeDirectories } from "../../../policy/access/grant.ts";
import type { Project } from "../../../ports/store.ts";
import type { EnginePorts } from "../../ports.ts";
import { refuseGitData } from "../../run/plan/check-plan.ts";
import { planRoot } from "../../run/plan/plan-request.ts";

interface AllowedDirectories {
  readonly pipeline: Pipeline;
  readonly project: Project;
  readonly directories: readonly string[];
}

/** Checks what a person adds to a plan like what the plan itself asks for, but at once and with all problems. */
export function requireAllowedDirectories(
  ports: EnginePorts,
  { pipeline, project, directories }: AllowedDirectories,
): void {
  if (directories.length === 0) return;
  if (pipeline.plan !== "execution")
    throw new UserError(
      "invalid",
      `The pipeline "${pipeline.name}" has no plan that could grant directories.`,
      "Use --allow-dir with staged tasks only.",
    );
  const { inside, outside } = placeDirectories({ root: planRoot({ project }), directories });
  const problems = [...refuseGitData(inside), ...ports.sandbox.refuseDirectories(outside)];
  if (problems.length === 0) return;
  throw new UserError(
    "invalid",
    `The task cannot be allowed to write there:\n${problems.map((each) => `- ${each}`).join("\n")}`,
    "Name an existing directory that is not a whole home, not a part of the system and not Nightshift's data.",
  );
}
