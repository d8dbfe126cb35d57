import { readExecutionPlan, writableDirectories } from "../../../core/outcomes/execution-plan.ts";
import type { Role } from "../../../core/task/role.ts";
import type { PlanRequest } from "../../../policy/access/grant.ts";
import type { StepContext } from "../step-context.ts";

/** The directory that a plan is about. A project without a checkout has only its workspaces, so its paths are relative. */
export function planRoot({ project }: Pick<StepContext, "project">): string {
  return project.path ?? "/project";
}

/** What the approved plan asks for. Null for every role that carries out no plan. */
export function planRequest({ task, project }: Pick<StepContext, "task" | "project">, role: Role): PlanRequest | null {
  const plan = role === "execute" ? readExecutionPlan(task.plan) : null;
  if (plan === null) return null;
  return {
    root: planRoot({ project }),
    directories: writableDirectories(plan),
    tools: plan.tools,
    commands: plan.commands ?? null,
    network: plan.network ?? [],
    needsGit: plan.needs_git,
  };
}
