import type { Failure, TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import { fatalError, classifyFailure } from "../shared/http-failure.ts";

/** `Tokens: 1.2k sent, 300 cache write, 5k cache hit, 345 received. Cost: $0.01 message, $0.02 session.` */
const TOKENS =
  /^Tokens: (?<sent>[\d.]+[kM]?) sent(?:, (?<write>[\d.]+[kM]?) cache write)?(?:, (?<hit>[\d.]+[kM]?) cache hit)?, (?<received>[\d.]+[kM]?) received\.(?: Cost: \$(?<cost>[\d.]+) message, \$[\d.]+ session\.)?$/;
/** Errors of LiteLLM, the library that calls models. The model's own text may match too, so no outcome depends on this alone. */
const ERROR = /^(?:litellm\.)?(?:litellm\.)?(?<name>[A-Z]\w*(?:Error|Timeout)|Timeout): /;
const TOKEN_LIMIT = /^Model \S+ has hit a token limit!$/;
const EDIT = /^Applied edit to (?<path>\S.*)$/;

const FAILURES: Readonly<Record<string, Failure>> = {
  AuthenticationError: "login",
  PermissionDeniedError: "login",
  RateLimitError: "rate_limit",
  RouterRateLimitError: "rate_limit",
  ContextWindowExceededError: "context_too_long",
  ContentPolicyViolationError: "refused",
  BudgetExceededError: "budget",
  InternalServerError: "overloaded",
  ServiceUnavailableError: "overloaded",
  BadGatewayError: "overloaded",
  APIConnectionError: "network",
  Timeout: "network",
};

/** Parses a line of aider's output, which is plain text except for a few known patterns. */
export function parseAiderLine(line: string): readonly TranscriptEvent[] {
  // All patterns except errors are short, so the rest of a long line is not searched.
  const start = line.slice(0, 4_000);
  const tokens = TOKENS.exec(start)?.groups;
  if (tokens !== undefined) return [usageOf(tokens)];
  const error = ERROR.exec(start)?.groups?.["name"];
  if (error !== undefined) {
    const byName = Object.hasOwn(FAILURES, error) ? FAILURES[error] : undefined;
    const byMessage = classifyFailure(start);
    // LiteLLM also uses RateLimitError for an exhausted account.
    return fatalError(line, byMessage === "usage_limit" ? byMessage : (byName ?? byMessage));
  }
  if (TOKEN_LIMIT.test(start)) return fatalError(line, "context_too_long");
  const path = EDIT.exec(line)?.groups?.["path"];
  if (path !== undefined) return [{ type: "file_change", path, change: "modified" }];
  return [{ type: "text", text: line }];
}

/** Aider includes cache reads and writes in the tokens sent. */
function usageOf(groups: Readonly<Record<string, string | undefined>>): TranscriptEvent {
  const cacheRead = toCount(groups["hit"]);
  const cacheWrite = toCount(groups["write"]);
  const input = Math.max(0, toCount(groups["sent"]) - cacheRead - cacheWrite);
  const cost = Number(groups["cost"] ?? Number.NaN);
  return {
    type: "usage",
    tokens: { input, output: toCount(groups["received"]), cacheRead, cacheWrite },
    costUsd: Number.isFinite(cost) ? cost : null,
    model: null,
    // Each line counts from the previous one.
    scope: "delta",
  };
}

const UNITS: Readonly<Record<string, number>> = { k: 1_000, M: 1_000_000 };

/** Parses rounded counts such as `1.2k`. */
function toCount(text = "0"): number {
  const count = Number.parseFloat(text) * (UNITS[text.at(-1) ?? ""] ?? 1);
  return Number.isFinite(count) ? Math.round(count) : 0;
}
