import type { ExecutionPlan } from "../../core/outcomes/execution-plan.ts";
import type { AutoApprove } from "../../core/settings/settings.ts";
import { covers } from "./path-rules.ts";

/**
 * Why the user's `auto_approve` does not let this plan run without a person, a sentence each. Empty if it does.
 * `directories`: what the plan makes writable, absolute and without links, because a link could lead out of an allowed one.
 */
export function findApprovalReasons(
  plan: Pick<ExecutionPlan, "tools" | "needs_git" | "estimate">,
  directories: readonly string[],
  policy: AutoApprove,
): readonly string[] {
  const allowed = policy.directories.length === 0 ? "nothing" : policy.directories.join(", ");
  return [
    ...(directories.length === 0 && !policy.readOnly
      ? ["It only reads, and `auto_approve.read_only` is false."]
      : directories
          .filter((path) => !policy.directories.some((each) => covers(each, path)))
          .map((path) => `It writes to ${path}. \`auto_approve.directories\` lists: ${allowed}.`)),
    ...(plan.needs_git ? ["It needs git, which `auto_approve` never allows."] : []),
    ...plan.tools
      .filter((tool) => tool.startsWith("mcp__"))
      .map((tool) => `It uses ${tool}, a tool of an MCP server, which \`auto_approve\` never allows.`),
    ...refuseCost(plan.estimate.usd, policy.maxUsd),
  ];
}

function refuseCost(estimated: number | undefined, maxUsd: number | null): readonly string[] {
  if (maxUsd === null || (estimated !== undefined && estimated <= maxUsd)) return [];
  const cost = estimated === undefined ? "It has no estimated cost" : `It is estimated to cost $${estimated}`;
  return [`${cost}. \`auto_approve.max_usd\` is ${maxUsd}.`];
}
