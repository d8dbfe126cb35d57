import type { FailureOutcome } from "./outcome.ts";
import type { Failure, TranscriptEvent } from "../task/transcript.ts";

export interface ExplainedFailure {
  readonly name: FailureOutcome;
  readonly message: string;
  /** When to try again, where the CLI said so. */
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
  // Nothing was tried: the next run begins a session of its own.
  session_unknown: "interrupted",
};

/** What ended a run that reported nothing, by the CLI's own last word on it; null where it gave none. */
export function explainFailure(events: readonly TranscriptEvent[]): ExplainedFailure | null {
  const last = events.findLast((event) => event.type === "error" && event.failure !== null);
  if (last?.type !== "error" || last.failure === null) return null;
  const limit = events.findLast((event) => event.type === "limit");
  const retryAt = limit?.type === "limit" && last.failure === "usage_limit" ? limit.resetsAt : null;
  return { name: OUTCOMES[last.failure], message: last.message, retryAt };
}

/** The session that an earlier run spoke of is gone, and with it what was said there. */
export function lostItsSession(events: readonly TranscriptEvent[]): boolean {
  return events.some((event) => event.type === "error" && event.failure === "session_unknown");
}
