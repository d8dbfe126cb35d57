/** The roles that a pipeline state may use. */
export const STATE_ROLES = [
  "analyze",
  "implement",
  "verify",
  "describe",
  "plan",
  "plan_revision",
  "execute",
  "investigate",
  "design",
  "review",
  "request_changes",
] as const;

/**
 * The job of an agent in a run. A role has a prompt, limits, rights and a list of outcomes it may report. Pipelines cannot
 * use `publish` and `rank`. The engine uses `publish` in states with `publish: true` if the user set `improve.publish: agent`,
 * and `rank` to choose between the variants of a task.
 */
export const ROLES = [...STATE_ROLES, "publish", "rank"] as const;

export type Role = (typeof ROLES)[number];

/** Roles that write a plan, also after feedback on an earlier one. */
export const PLANNING_ROLES: readonly Role[] = ["plan", "plan_revision"];

/** Roles that must change files. If they report success without a change, the outcome becomes `no_changes`. */
export const CHANGING_ROLES: readonly Role[] = ["implement", "request_changes"];

/** Roles whose files are kept. */
export const KEEPING_ROLES: readonly Role[] = [...CHANGING_ROLES, "execute"];

/** Roles that read and report. The others change the work, which then has to go through the rest of the pipeline. */
export const SINGLE_ROLES = ["review", "plan", "design", "investigate"] as const satisfies readonly Role[];
export type SingleRole = (typeof SINGLE_ROLES)[number];
