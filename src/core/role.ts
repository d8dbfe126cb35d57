/** Who an agent is in a run. A role has a prompt, limits, rights and a list of outcomes it may report. */
export const ROLES = [
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

export type Role = (typeof ROLES)[number];
