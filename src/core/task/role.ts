/** The roles that a pipeline may give to the agent of a state. */
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
 * Who an agent is in a run. A role has a prompt, limits, rights and a list of outcomes it may report. `publish` is no
 * pipeline's to give: the engine does, in a state with `publish: true`, where the user chose `improve.publish: agent`.
 */
export const ROLES = [...STATE_ROLES, "publish"] as const;

export type Role = (typeof ROLES)[number];

/** Roles whose success means changed files: an empty change turns their report into `no_changes`. */
export const CHANGING_ROLES: readonly Role[] = ["implement", "request_changes"];
