import type { Failure, TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import { fatalError, classifyFailure } from "../shared/http-failure.ts";

/** The agent does not have the session of an earlier run, or cannot resume sessions. */
export class SessionUnknownError extends Error {}

/** The protocol's error code for "authentication required". */
export const AUTH_REQUIRED = -32_000;

const STOPS: Readonly<Record<string, readonly [string, Failure | null]>> = {
  max_tokens: ["The agent reached its token limit.", "context_too_long"],
  max_turn_requests: ["The agent reached its turn limit.", "max_turns"],
  refusal: ["The model refused to continue.", "refused"],
  cancelled: ["The agent's turn was cancelled.", null],
};

/** Describes why a turn ended early. Returns no events if the agent finished. */
export function describeStop(stopReason: unknown): readonly TranscriptEvent[] {
  const stop = typeof stopReason === "string" ? STOPS[stopReason] : undefined;
  return stop === undefined ? [] : [{ type: "error", message: stop[0], failure: stop[1] }];
}

/** Describes an error response of the agent. */
export function describeError(error: unknown): readonly TranscriptEvent[] {
  if (!(error instanceof Error)) return [{ type: "error", message: String(error), failure: null }];
  if (error instanceof SessionUnknownError)
    return [{ type: "error", message: error.message, failure: "session_unknown" }];
  const data = "data" in error && error.data !== undefined ? ` ${JSON.stringify(error.data)}` : "";
  const message = `${error.message}${data}`.slice(0, 4_000);
  const fallback = /rate.?limit|too many requests/i.test(message) ? "rate_limit" : null;
  return fatalError(message, codeOf(error) === AUTH_REQUIRED ? "login" : (classifyFailure(message) ?? fallback));
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
