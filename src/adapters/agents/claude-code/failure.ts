import type { Failure } from "../../../core/task/documents/transcript.ts";
import type { Json } from "./json.ts";

/** Several fields are needed: an API failure has subtype `success` with `is_error`, and its kind is in one of five other fields. */
export function findFailure(line: Json, message: string): Failure | null {
  const isError = line["is_error"] === true;
  switch (line["subtype"]) {
    case "error_max_turns":
      return "max_turns";
    case "error_max_budget_usd":
      return "budget";
    case "success":
      return isError ? findApiFailure(line, message) : null;
    default:
      return isError ? findInMessage(message) : null;
  }
}

function findApiFailure(line: Json, message: string): Failure | null {
  const { terminal_reason: reason, stop_reason: stop, api_error: error, api_error_type: type } = line;
  const status = typeof line["api_error_status"] === "number" ? line["api_error_status"] : null;
  if (reason === "prompt_too_long" || status === 413) return "context_too_long";
  if (stop === "refusal") return "refused";
  if (error === "usage_limit_reached" || isOutOfCredit(status, message)) return "usage_limit";
  if (status === 401 || status === 403 || type === "authentication_error") return "login";
  if (status === 429) return "rate_limit";
  if (status !== null && status >= 500) return "overloaded";
  if (error === "connection_failed") return "network";
  return status === null ? findInMessage(message) : null;
}

function isOutOfCredit(status: number | null, message: string): boolean {
  return status === 402 || (status === 400 && /credit balance is too low/i.test(message));
}

/** For errors without structured fields: before the first API request, and from CLIs that do not print such fields. */
const MESSAGE_PATTERNS: readonly (readonly [RegExp, Failure])[] = [
  [/^No conversation found with session ID/i, "session_unknown"],
  [/insufficient[_ ]quota|exceeded your current quota/i, "usage_limit"],
  [/\b(401|403)\b|invalid (x-)?api.key|not logged in|please run \/login|unauthorized/i, "login"],
  [/\b429\b|rate.?limit|too many requests/i, "rate_limit"],
  [/context.?length|prompt is too long|maximum context/i, "context_too_long"],
  [/\b(500|502|503|504|529)\b|overloaded/i, "overloaded"],
  [/ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|fetch failed|connection (error|refused|closed)|socket hang up/i, "network"],
];

function findInMessage(message: string): Failure | null {
  return MESSAGE_PATTERNS.find(([pattern]) => pattern.test(message))?.[1] ?? null;
}
