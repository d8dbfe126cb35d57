import type { Failure, TranscriptEvent } from "../../../core/task/transcript.ts";

const BY_WORDS: readonly (readonly [RegExp, Failure])[] = [
  [
    /context.?(window|length)|maximum context|prompt is too long|input token count.*exceeds|ran out of room/i,
    "context_too_long",
  ],
  // An account without money is told so with the same status as one that asks too often.
  [
    /usage limit|insufficient_quota|quota exceeded|exceeded your current quota|exhausted your \w*\s?(quota|capacity)|credit balance/i,
    "usage_limit",
  ],
  [/content.?filter|content management policy|safety system|PROHIBITED_CONTENT/i, "refused"],
];

const BY_STATUS: Readonly<Record<number, Failure>> = {
  401: "login",
  402: "usage_limit",
  403: "login",
  408: "network",
  413: "context_too_long",
  429: "rate_limit",
};

const NETWORK =
  /ECONN(REFUSED|RESET)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|fetch failed|error sending request|stream disconnected|connection (refused|reset|closed|error)|unable to connect|socket hang up|terminated|timed out/i;
const LOGIN = /unauthori[sz]ed|unauthenticated|api.?key not valid|invalid api.?key|not logged in/i;
const OVERLOADED = /overloaded|high demand|at capacity|service unavailable|internal server error/i;

/** What ended a run, by the status that a model's API answered with (where known) and by its words. */
export function httpFailure(message: string, status: number | null = statusIn(message)): Failure | null {
  const byWords = BY_WORDS.find(([pattern]) => pattern.test(message));
  if (byWords !== undefined) return byWords[1];
  if (status !== null) return BY_STATUS[status] ?? (status >= 500 ? "overloaded" : null);
  if (LOGIN.test(message)) return "login";
  if (OVERLOADED.test(message)) return "overloaded";
  return NETWORK.test(message) ? "network" : null;
}

/** An error that ended the run; where it is a limit, that too. None of these CLIs says when it resets. */
export function fatalError(message: string, failure: Failure | null): readonly TranscriptEvent[] {
  const error = { type: "error", message, failure } as const;
  if (failure === "usage_limit") return [{ type: "limit", kind: "usage", resetsAt: null }, error];
  if (failure === "rate_limit") return [{ type: "limit", kind: "rate", resetsAt: null }, error];
  return [error];
}

/** Where a message names one: `unexpected status 401 Unauthorized`, `last status: 429`, `"code":503`. */
function statusIn(message: string): number | null {
  const found = /\b(?:status|code)(?: code)?\W{1,4}([45]\d\d)\b/i.exec(message)?.[1];
  return found === undefined ? null : Number(found);
}
