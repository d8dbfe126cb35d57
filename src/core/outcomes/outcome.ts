import type { Role } from "../task/role.ts";

/** What an agent may report. Payload schemas: outcome-schemas.ts. */
export const AGENT_OUTCOMES = [
  "improvement_found",
  "no_improvement",
  "implemented",
  "verified",
  "verify_failed",
  "described",
  "opened", // a change request, as the agent says; whether it is `published` the engine finds out
  "plan_complete",
  "investigation_complete",
  "design_ready",
  "completed",
  "approved",
  "changes_requested",
  "needs_info",
  "options_proposed",
] as const;

/** What the engine concludes by itself from what it saw. */
export const ENGINE_OUTCOMES = [
  "checks_passed",
  "checks_failed",
  "policy_failed",
  "no_changes",
  "published",
  "merged",
  "closed",
  "conflict",
  "setup_failed",
  "night_over", // no room for another change request, or no money left for tonight
  "budget_reserved", // what is left of tonight's money may be needed by the runs under way
] as const;

/** How a run can go wrong, by class: each has a default edge (edges.ts). */
export const FAILURE_OUTCOMES = [
  "usage_limit",
  "provider_down",
  "login_expired",
  "agent_missing",
  "context_too_long",
  "refused",
  "timeout",
  "budget_exhausted",
  "disk_full",
  "agent_error",
  "invalid_output",
  "sandbox_refused",
  "interrupted",
] as const;

/** What people decide. */
export const PEOPLE_OUTCOMES = ["approve", "reject", "revise", "answered", "chosen", "cancel", "retry"] as const;

export const OUTCOMES = [...AGENT_OUTCOMES, ...ENGINE_OUTCOMES, ...FAILURE_OUTCOMES, ...PEOPLE_OUTCOMES] as const;

export type AgentOutcome = (typeof AGENT_OUTCOMES)[number];
export type FailureOutcome = (typeof FAILURE_OUTCOMES)[number];
export type OutcomeName = (typeof OUTCOMES)[number];

/** The outcomes each role may report; `needs_info` and `options_proposed` are open to every role. */
export const ROLE_OUTCOMES: Record<Role, readonly AgentOutcome[]> = {
  analyze: ["improvement_found", "no_improvement"],
  implement: ["implemented"],
  verify: ["verified", "verify_failed"],
  describe: ["described"],
  plan: ["plan_complete"],
  plan_revision: ["plan_complete"],
  execute: ["completed"],
  investigate: ["investigation_complete"],
  design: ["design_ready"],
  review: ["approved", "changes_requested"],
  request_changes: ["implemented"],
  publish: ["opened"],
};

/** What every agent may report whatever its role. */
export const SHARED_AGENT_OUTCOMES = ["needs_info", "options_proposed"] as const satisfies readonly AgentOutcome[];

/** Roles whose success means changed files: an empty change turns their report into `no_changes`. */
export const CHANGING_ROLES: readonly Role[] = ["implement", "request_changes"];

/** What happened in a step, as `advance` takes it. */
export interface Outcome {
  readonly name: OutcomeName;
  /** One or two sentences for people. */
  readonly summary: string;
  /** What was reported, checked against the outcome's schema; `{}` where there is none. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** When to try again, for `usage_limit`, `provider_down` and `night_over`, where known. */
  readonly retryAt: number | null;
}
