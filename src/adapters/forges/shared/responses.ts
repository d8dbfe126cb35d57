import type { z } from "zod";
import { ForgeError } from "../../../core/text/errors.ts";
import type { Redactor } from "../../../policy/secrets/redact.ts";
import { terminalLine } from "../../../core/text/terminal-text.ts";
import { retryTime } from "./limits.ts";
import type { ForgeResponse } from "./limits.ts";

/** Values that error messages about a forge use. */
export interface ForgeMessageContext {
  readonly host: string;
  /** `host/team/shop`. */
  readonly repository: string;
  /** Display name of the forge. */
  readonly name: string;
  /** Source of the token, for hints: `$GITLAB_TOKEN`. */
  readonly tokenFrom: string;
  /** The program whose login is used. Null if the token is from the variable. */
  readonly loginFrom: string | null;
  readonly neededRights: string;
  /** Removes the token, because a response may repeat the request. */
  readonly redactor: Redactor;
}

const MAX_DETAIL_LENGTH = 500;

/** Parses the response as JSON. The error says if it is a web page instead, for example of a proxy or a login. */
export function parseJson(context: ForgeMessageContext, { text, headers }: ForgeResponse): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const type = (headers.get("content-type") ?? "").split(";")[0]?.trim() ?? "";
    const isWebPage = /html/i.test(type) || /^\s*</.test(text);
    throw new ForgeError(
      "unreachable",
      isWebPage
        ? `${context.host} returned a web page instead of the JSON of ${context.name}'s API.`
        : `${context.host} returned something other than JSON${type === "" ? "" : ` (${terminalLine(type, 60)})`}.`,
      { hint: "A login page or a proxy may intercept requests, or `forge.url` may be wrong." },
    );
  }
}

/** Validates a response. The schemas contain only fields that Nightshift uses. */
export function parseAs<T>(context: ForgeMessageContext, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue === undefined || issue.path.length === 0 ? "the response" : `"${issue.path.join(".")}"`;
  throw new ForgeError(
    "unreachable",
    `${context.host} sent a response that ${context.name} would not send: ${field} is missing or has the wrong type.`,
    { hint: "Check that `forge.kind` and `forge.url` are right and that the server's version is supported." },
  );
}

/** A ForgeError with the status and the redacted message of the forge's response. */
export class ForgeResponseError extends ForgeError {
  readonly status: number;
  readonly detail: string;

  constructor(error: ForgeError, { status, detail }: { readonly status: number; readonly detail: string }) {
    super(error.trouble, error.message, { hint: error.hint, retryAt: error.retryAt });
    this.status = status;
    this.detail = detail;
  }
}

/** Returns the error for a non-2xx status. `doing` completes the sentence "cannot …". */
export function explainStatus(
  context: ForgeMessageContext,
  response: ForgeResponse,
  doing: string,
): ForgeResponseError {
  const detail = extractDetail(context, response);
  return new ForgeResponseError(toForgeError(context, response, { doing, detail }), {
    status: response.status,
    detail,
  });
}

function toForgeError(
  context: ForgeMessageContext,
  response: ForgeResponse,
  { doing, detail }: { readonly doing: string; readonly detail: string },
): ForgeError {
  const { status } = response;
  const suffix = detail === "" ? "" : ` Response: ${/[.!?]$/.test(detail) ? detail : `${detail}.`}`;
  if (status === 401) {
    return new ForgeError(
      "credentials",
      `${context.host} refused the token${context.loginFrom === null ? "" : ` from ${context.loginFrom}`}: it is invalid, expired or revoked.${suffix}`,
      {
        hint: `Create a new one with ${context.neededRights} and set ${context.tokenFrom} to it.`,
      },
    );
  }
  if (status === 403) {
    return new ForgeError("credentials", `The token is not allowed to ${doing} at ${context.repository}.${suffix}`, {
      hint: `It needs ${context.neededRights}.`,
    });
  }
  if (status === 404 || status === 410) {
    return new ForgeError(
      "missing",
      `Cannot ${doing}: ${context.repository} does not have it, or the token is not allowed to see it.`,
      {
        hint: "Check `forge.project`, and that the token's owner is a member of the project.",
      },
    );
  }
  if (status >= 500) {
    return new ForgeError("unreachable", `${context.host} failed with status ${status}: cannot ${doing}.${suffix}`, {
      hint: "Nightshift tries again later.",
      retryAt: retryTime(response, Date.now()),
    });
  }
  return new ForgeError("refused", `${context.repository} refused to ${doing} (status ${status}).${suffix}`);
}

/** Returns the error messages of the response on one line, truncated and without the token. */
function extractDetail(context: ForgeMessageContext, { text }: ForgeResponse): string {
  return terminalLine(context.redactor.redact(extractMessages(text)), MAX_DETAIL_LENGTH);
}

function extractMessages(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "";
  }
  if (typeof value !== "object" || value === null) return "";
  const { message, errors, error, error_description: description } = value as Readonly<Record<string, unknown>>;
  const messages = [message, errors, message === undefined ? error : undefined, description].flatMap(flattenMessages);
  return [...new Set(messages)].join("; ");
}

/** Handles strings, lists, GitLab's `{field: ["is wrong"]}` and GitHub's `{field, code, message}`. */
function flattenMessages(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (Array.isArray(value)) return value.slice(0, 10).flatMap(flattenMessages);
  if (typeof value !== "object" || value === null) return [];
  const { message, field, code } = value as Readonly<Record<string, unknown>>;
  if (typeof message === "string") return [message];
  if (typeof field === "string" && typeof code === "string") return [`${field} is ${code}`];
  return Object.entries(value).flatMap(([name, part]) =>
    flattenMessages(part).map((messages) => `${name} ${messages}`),
  );
}
