import type { FailureOutcome } from "./outcome.ts";
import type { Failure, TranscriptEvent } from "../task/documents/transcript.ts";

export interface ExplainedFailure {
  readonly name: FailureOutcome;
  readonly message: string;
  /** When to try again, if the CLI reported it. */
  readonly retryAt: number | null;
}

const OUTCOMES: Readonly<Record<Failure, FailureOutcome>> = {
  usage_limit: "usage_limit",
  rate_limit: "provider_down",
  overloaded: "provider_down",
  network: "provider_down",
  login: "login_expired",
  context_too_long: "context_too_long",
  refused: "refused",
  max_turns: "timeout",
  budget: "budget_exhausted",
  // The agent did no work. The next run starts a new session.
  session_unknown: "interrupted",
};

/** Derives the failure of a run without a report from the CLI's last error; null if it reported none. */
export function explainFailure(events: readonly TranscriptEvent[]): ExplainedFailure | null {
  const last = events.findLast((event) => event.type === "error" && event.failure !== null);
  if (last?.type !== "error" || last.failure === null) return null;
  const limit = events.findLast((event) => event.type === "limit");
  const retryAt = limit?.type === "limit" && last.failure === "usage_limit" ? limit.resetsAt : null;
  return { name: OUTCOMES[last.failure], message: last.message, retryAt };
}

/** True if the session to resume no longer exists. */
export function hasLostSession(events: readonly TranscriptEvent[]): boolean {
  return events.some((event) => event.type === "error" && event.failure === "session_unknown");
}
