import { writableDirectories, type ExecutionPlan } from "../../../core/outcomes/execution-plan.ts";
import { least } from "../../../core/settings/resolve-run.ts";
import { findApprovalReasons } from "../../../policy/access/approval-reasons.ts";
import { placeDirectories } from "../../../policy/access/grant.ts";
import type { StepContext } from "../step-context.ts";
import { planRoot } from "./plan-request.ts";

/**
 * For a task that asks to skip the approval: records why the user's `auto_approve` does not allow that. An estimate is only
 * the planner's word, so a plan that needs no person also gets the cost limit of the policy.
 */
export function applyApprovalPolicy(
  context: Pick<StepContext, "ports" | "task" | "project" | "settings">,
  { approval_reasons: _reported, ...plan }: ExecutionPlan,
): ExecutionPlan {
  const { task, settings } = context;
  const policy = settings.autoApprove;
  if (policy === null || !task.options.autoApprove) return plan;
  const { resolvePath } = context.ports.sandbox;
  const real = { ...policy, directories: policy.directories.map(resolvePath) };
  const reasons = findApprovalReasons(plan, realDirectories(context, plan), real);
  const usd = least([plan.limits?.usd ?? null, policy.maxUsd]);
  if (reasons.length > 0 || usd === null) return { ...plan, approval_reasons: [...reasons] };
  return { ...plan, approval_reasons: [], limits: { ...plan.limits, usd } };
}

function realDirectories(
  { ports, project }: Pick<StepContext, "ports" | "project">,
  plan: ExecutionPlan,
): readonly string[] {
  const root = planRoot({ project });
  const { isWhole, inside, outside } = placeDirectories({ root, directories: writableDirectories(plan) });
  const paths = [...(isWhole ? [root] : []), ...inside.map((path) => `${root}/${path}`), ...outside];
  return paths.map(ports.sandbox.resolvePath);
}
