import { randomBytes } from "node:crypto";
import {
  ConfigError,
  type Issue,
  LeaseLostError,
  StaleTaskError,
  UserError,
  type UserErrorKind,
} from "../core/text/errors.ts";
import { withoutCredentials } from "../core/text/without-credentials.ts";
import type { Log } from "../ports/log.ts";
import type { ProblemJson } from "./contract/problem.ts";

/** A request that was refused before it reached a command. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: Status;
  readonly hint: string | null;
  readonly issues: readonly Issue[];

  constructor(status: Status, message: string, more: { hint?: string; issues?: readonly Issue[] } = {}) {
    super(message);
    this.status = status;
    this.hint = more.hint ?? null;
    this.issues = more.issues ?? [];
  }
}

/** Last part of the problem's type, and its title. */
const PROBLEMS = {
  400: ["invalid", "Invalid request"],
  401: ["unauthenticated", "Not authenticated"],
  403: ["forbidden", "Not allowed"],
  404: ["not_found", "Not found"],
  408: ["too_slow", "Request timeout"],
  409: ["conflict", "Conflict"],
  413: ["too_large", "Request too large"],
  415: ["not_json", "Not JSON"],
  422: ["configuration", "Invalid configuration"],
  429: ["too_many", "Too many requests"],
  500: ["internal", "Internal error"],
  503: ["unavailable", "Not available"],
} as const;

type Status = keyof typeof PROBLEMS;

const STATUS_OF_KIND = {
  invalid: 400,
  not_found: 404,
  conflict: 409,
  forbidden: 403,
  unavailable: 503,
} as const satisfies Record<UserErrorKind, Status>;

/** Converts an error to a problem response. For an unexpected error it contains only an id, because the text may have paths or secrets. */
export function toProblem(error: unknown, log: Log): ProblemJson {
  if (error instanceof RequestError) return problem(error.status, error.message, error.hint, error.issues);
  if (error instanceof UserError) return problem(STATUS_OF_KIND[error.kind], error.message, error.hint);
  if (error instanceof ConfigError) return problem(422, error.message, null, error.issues);
  if (error instanceof StaleTaskError || error instanceof LeaseLostError) {
    return problem(409, "The task changed while the request was processed.", "Reload the task and repeat the request.");
  }
  const id = randomBytes(4).toString("hex");
  log.error("request failed", {
    error_id: id,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return problem(500, `An unexpected error occurred (id ${id}).`, "Look for this id in the daemon's log.");
}

export function problemResponse(body: ProblemJson): Response {
  const headers = new Headers({ "content-type": "application/problem+json" });
  if (body.status === 401) headers.set("www-authenticate", "Bearer");
  if (body.status === 429) headers.set("retry-after", "5");
  return new Response(JSON.stringify(body), { status: body.status, headers });
}

function problem(status: Status, detail: string, hint: string | null, issues: readonly Issue[] = []): ProblemJson {
  const [slug, title] = PROBLEMS[status];
  return {
    type: `urn:nightshift:problem:${slug}`,
    title,
    status,
    detail: toShown(detail),
    hint: hint === null ? null : toShown(hint),
    issues: issues.slice(0, MAX_ISSUES).map(toShownIssue),
  };
}

/** A message can quote the request, so it must not be longer than a person reads. */
const MAX_ISSUES = 100;
const MAX_MESSAGE = 5000;

function toShownIssue(issue: Issue): Issue {
  return { ...issue, key: toShown(issue.key), message: toShown(issue.message) };
}

function toShown(message: string): string {
  const shown = withoutCredentials(message);
  return shown.length <= MAX_MESSAGE ? shown : `${shown.slice(0, MAX_MESSAGE)}…`;
}
