import {
  FAILURE_OUTCOMES,
  CHANGING_ROLES,
  ROLE_OUTCOMES,
  SHARED_AGENT_OUTCOMES,
  type OutcomeName,
} from "../outcomes/outcome.ts";
import type { Step, WaitKind } from "./pipeline.ts";
import type { QueueReason } from "../task/task.ts";

/** Where an outcome leads when the state says nothing about it. */
export type DefaultEdge =
  /** The same step later. Not an attempt: nothing was tried, or it was not the task's fault. */
  | { readonly do: "park"; readonly queue: QueueReason }
  /** The same step again, `max` times; then `then`. */
  | { readonly do: "again"; readonly max: number; readonly backoff: boolean; readonly then: "fail" | "person" }
  /** Waits, then comes back to this state with the reply. */
  | { readonly do: "ask"; readonly what: "answers" | "choice" }
  | { readonly do: "person" }
  | { readonly do: "fail" }
  | { readonly do: "cancel" };

/** How often a lost supervisor may cost nothing; the next one counts as an error of the agent. */
export const FREE_INTERRUPTIONS = 3;

const DEFAULT_EDGES: Partial<Record<OutcomeName, DefaultEdge>> = {
  usage_limit: { do: "park", queue: "quota" },
  provider_down: { do: "park", queue: "provider" },
  login_expired: { do: "park", queue: "login" },
  agent_missing: { do: "park", queue: "login" },
  disk_full: { do: "park", queue: "capacity" },
  context_too_long: { do: "again", max: 1, backoff: false, then: "person" },
  timeout: { do: "again", max: 1, backoff: false, then: "fail" },
  agent_error: { do: "again", max: 2, backoff: true, then: "fail" },
  invalid_output: { do: "again", max: 1, backoff: false, then: "fail" },
  interrupted: { do: "again", max: FREE_INTERRUPTIONS, backoff: false, then: "fail" },
  refused: { do: "person" },
  budget_exhausted: { do: "person" },
  setup_failed: { do: "fail" },
  sandbox_refused: { do: "fail" },
  conflict: { do: "fail" },
  night_over: { do: "park", queue: "budget" },
  budget_reserved: { do: "park", queue: "budget" },
  needs_info: { do: "ask", what: "answers" },
  options_proposed: { do: "ask", what: "choice" },
  cancel: { do: "cancel" },
};

const WAIT_OUTCOMES: Record<WaitKind, readonly OutcomeName[]> = {
  approval: ["approve", "reject", "revise"],
  answers: ["answered"],
  choice: ["chosen"],
  review: ["approve", "changes_requested", "reject"],
  merge: ["merged", "closed", "reject"],
};

/** Everything that a step of this kind can come to. */
export function possibleOutcomes(step: Step): readonly OutcomeName[] {
  switch (step.kind) {
    case "agent":
      return [
        ...ROLE_OUTCOMES[step.role],
        ...(CHANGING_ROLES.includes(step.role) ? (["no_changes"] as const) : []),
        "night_over",
        "budget_reserved",
        ...SHARED_AGENT_OUTCOMES,
        ...FAILURE_OUTCOMES,
        "setup_failed",
        "conflict",
        "cancel",
      ];
    case "checks":
      return [
        "checks_passed",
        "checks_failed",
        "policy_failed",
        "setup_failed",
        "conflict",
        ...FAILURE_OUTCOMES,
        "cancel",
      ];
    case "publish":
      return ["published", "conflict", "policy_failed", "night_over", "budget_reserved", ...FAILURE_OUTCOMES, "cancel"];
    case "wait":
      return [...WAIT_OUTCOMES[step.for], "cancel"];
    case "end":
      return [];
  }
}

export function hasDefaultEdge(outcome: OutcomeName, step: Step): boolean {
  return defaultEdge(outcome, step) !== null;
}

export function defaultEdge(outcome: OutcomeName, step: Step): DefaultEdge | null {
  // Something else than was judged left the house: no further try makes that undone.
  if (step.kind === "publish" && outcome === "policy_failed") return { do: "fail" };
  return possibleOutcomes(step).includes(outcome) ? (DEFAULT_EDGES[outcome] ?? null) : null;
}
