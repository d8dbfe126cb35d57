import type { z } from "zod";
import { ForgeError } from "../../../core/text/errors.ts";
import type { Redactor } from "../../../policy/secrets/redact.ts";
import { terminalLine } from "../../../core/text/terminal-text.ts";
import { retryAtOf } from "./exchange.ts";
import type { ForgeResponse } from "./limits.ts";

/** What all sentences about a forge have in common. */
export interface ForgeMessageContext {
  readonly host: string;
  /** `host/team/shop`. */
  readonly place: string;
  /** The forge's own name, as people say it. */
  readonly name: string;
  /** Where the token comes from, for hints: `$GITLAB_TOKEN`. */
  readonly tokenFrom: string;
  readonly neededRights: string;
  /** What the forge says may repeat what it was sent. */
  readonly redactor: Redactor;
}

const LONGEST_SAID = 500;

/** The answer as JSON; a page of a proxy or of a login is told as such. */
export function parseJson(voice: ForgeMessageContext, { text, headers }: ForgeResponse): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const type = (headers.get("content-type") ?? "").split(";")[0]?.trim() ?? "";
    const page = /html/i.test(type) || /^\s*</.test(text);
    throw new ForgeError(
      "unreachable",
      page
        ? `${voice.host} answered with a web page where ${voice.name}'s API answers with JSON.`
        : `${voice.host} answered with something that is no JSON${type === "" ? "" : ` (${terminalLine(type, 60)})`}.`,
      { hint: "A login page or a proxy stands before it, or `forge.url` names another server." },
    );
  }
}

/** Checks what the forge sent: what we do not use may be missing, what we use may not. */
export function readAs<T>(voice: ForgeMessageContext, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "the answer itself" : `"${issue.path.join(".")}"`;
  throw new ForgeError(
    "unreachable",
    `${voice.host} answered in a way that ${voice.name} does not: ${where} is missing or of another kind.`,
    { hint: "Check that `forge.kind` and `forge.url` are right and that the server's version is supported." },
  );
}

/** A ForgeError that still knows what the forge answered; not all of it, since that may repeat what it was sent. */
export class AnsweredError extends ForgeError {
  readonly status: number;
  readonly said: string;

  constructor(told: ForgeError, { status, said }: { readonly status: number; readonly said: string }) {
    super(told.trouble, told.message, { hint: told.hint, retryAt: told.retryAt });
    this.status = status;
    this.said = said;
  }
}

/** The error for a status that is none of success. `doing` completes "cannot …". */
export function explainStatus(voice: ForgeMessageContext, answer: ForgeResponse, doing: string): AnsweredError {
  const said = saidBy(voice, answer);
  return new AnsweredError(sentenceFor(voice, answer, { doing, said }), { status: answer.status, said });
}

function sentenceFor(
  voice: ForgeMessageContext,
  answer: ForgeResponse,
  { doing, said }: { readonly doing: string; readonly said: string },
): ForgeError {
  const { status } = answer;
  const because = said === "" ? "" : ` It said: ${/[.!?]$/.test(said) ? said : `${said}.`}`;
  if (status === 401) {
    return new ForgeError(
      "credentials",
      `${voice.host} refused the token: it is wrong, expired or revoked.${because}`,
      {
        hint: `Make a new one with ${voice.neededRights} and put it into ${voice.tokenFrom}.`,
      },
    );
  }
  if (status === 403) {
    return new ForgeError("credentials", `The token may not ${doing} at ${voice.place}.${because}`, {
      hint: `It needs ${voice.neededRights}.`,
    });
  }
  if (status === 404 || status === 410) {
    return new ForgeError(
      "missing",
      `${voice.place} has no such thing, or the token may not see it: cannot ${doing}.`,
      {
        hint: "Check `forge.project`, and that the token's owner is a member there.",
      },
    );
  }
  if (status >= 500) {
    return new ForgeError("unreachable", `${voice.host} failed with status ${status}: cannot ${doing}.${because}`, {
      hint: "It is tried again later.",
      retryAt: retryAtOf(answer),
    });
  }
  return new ForgeError("refused", `${voice.place} refused to ${doing} (status ${status}).${because}`);
}

/** The forge's own words, on one line, bounded and without the token. */
function saidBy(voice: ForgeMessageContext, { text }: ForgeResponse): string {
  return terminalLine(voice.redactor.redact(wordsIn(text)), LONGEST_SAID);
}

function wordsIn(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "";
  }
  if (typeof value !== "object" || value === null) return "";
  const { message, errors, error, error_description: description } = value as Readonly<Record<string, unknown>>;
  const words = [message, errors, message === undefined ? error : undefined, description].flatMap(flatten);
  return [...new Set(words)].join("; ");
}

/** Texts, lists of texts, `{field: ["is wrong"]}` of GitLab, `{field, code, message}` of GitHub. */
function flatten(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (Array.isArray(value)) return value.slice(0, 10).flatMap(flatten);
  if (typeof value !== "object" || value === null) return [];
  const { message, field, code } = value as Readonly<Record<string, unknown>>;
  if (typeof message === "string") return [message];
  if (typeof field === "string" && typeof code === "string") return [`${field} is ${code}`];
  return Object.entries(value).flatMap(([name, part]) => flatten(part).map((words) => `${name} ${words}`));
}
