import type { Failure, TranscriptEvent } from "../../../core/task/documents/transcript.ts";

const BY_MESSAGE: readonly (readonly [RegExp, Failure])[] = [
  [
    /context.?(window|length)|maximum context|prompt is too long|input token count.*exceeds|ran out of room/i,
    "context_too_long",
  ],
  // APIs return 429 both for an exhausted account and for too many requests; only the message differs.
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

/** Classifies the error of a model API by its message and, if known, its HTTP status. */
export function classifyFailure(message: string, status: number | null = findStatus(message)): Failure | null {
  const byMessage = BY_MESSAGE.find(([pattern]) => pattern.test(message));
  if (byMessage !== undefined) return byMessage[1];
  if (status !== null) return BY_STATUS[status] ?? (status >= 500 ? "overloaded" : null);
  if (LOGIN.test(message)) return "login";
  if (OVERLOADED.test(message)) return "overloaded";
  return NETWORK.test(message) ? "network" : null;
}

/** The events of an error that ended the run: a limit, if it was one, and the error. These CLIs do not report reset times. */
export function fatalError(message: string, failure: Failure | null): readonly TranscriptEvent[] {
  const error = { type: "error", message, failure } as const;
  if (failure === "usage_limit") return [{ type: "limit", kind: "usage", resetsAt: null }, error];
  if (failure === "rate_limit") return [{ type: "limit", kind: "rate", resetsAt: null }, error];
  return [error];
}

/** Finds the HTTP status in messages such as `unexpected status 401 Unauthorized`, `last status: 429`, `"code":503`. */
function findStatus(message: string): number | null {
  const found = /\b(?:status|code)(?: code)?\W{1,4}([45]\d\d)\b/i.exec(message)?.[1];
  return found === undefined ? null : Number(found);
}
