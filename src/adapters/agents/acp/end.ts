import type { Failure, TranscriptEvent } from "../../../core/task/transcript.ts";
import { fatalError, httpFailure } from "../shared/http-failure.ts";

/** A session of an earlier run that the agent does not have, or that it has no way to take up. */
export class SessionUnknownError extends Error {}

/** What the protocol calls "authentication required". */
export const AUTH_REQUIRED = -32_000;

const STOPS: Readonly<Record<string, readonly [string, Failure | null]>> = {
  max_tokens: ["The agent stopped at its limit of tokens.", "context_too_long"],
  max_turn_requests: ["The agent stopped at its limit of turns.", "max_turns"],
  refusal: ["The model refused to go on.", "refused"],
  cancelled: ["The agent's turn was cancelled.", null],
};

/** What the reason of a turn's end means; nothing where the agent was done. */
export function describeStop(stopReason: unknown): readonly TranscriptEvent[] {
  const stop = typeof stopReason === "string" ? STOPS[stopReason] : undefined;
  return stop === undefined ? [] : [{ type: "error", message: stop[0], failure: stop[1] }];
}

/** What an answer that is an error means. */
export function describeError(error: unknown): readonly TranscriptEvent[] {
  if (!(error instanceof Error)) return [{ type: "error", message: String(error), failure: null }];
  if (error instanceof SessionUnknownError)
    return [{ type: "error", message: error.message, failure: "session_unknown" }];
  const data = "data" in error && error.data !== undefined ? ` ${JSON.stringify(error.data)}` : "";
  const message = `${error.message}${data}`.slice(0, 4_000);
  const byWords = /rate.?limit|too many requests/i.test(message) ? "rate_limit" : null;
  return fatalError(message, codeOf(error) === AUTH_REQUIRED ? "login" : (httpFailure(message) ?? byWords));
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
