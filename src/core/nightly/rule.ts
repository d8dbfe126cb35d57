import { UserError } from "../text/errors.ts";
import { REASON_KINDS, type ReasonKind } from "./proposal-reason.ts";
import type { Proposal } from "./proposal.ts";
import { terminalLine, terminalText } from "../text/terminal-text.ts";

/** What people want a project's analyses to keep in mind, in their words, for a time. */
export interface ProjectRule {
  readonly id: string;
  readonly project: string;
  readonly text: string;
  /** What it was said about, and the change request of that; null for a rule that somebody wrote by themselves. */
  readonly proposal: string | null;
  readonly url: string | null;
  readonly by: string;
  readonly at: number;
  readonly updatedAt: number;
  /** The first moment at which it no longer counts; null: it never ends. */
  readonly expiresAt: number | null;
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 180;
const MOST_DAYS = 3650;
const MAX_RULE = 500;
const MAX_REASON = 300;
const MAX_TITLE = 100;

export function hasExpired({ expiresAt }: Pick<ProjectRule, "expiresAt">, at: number): boolean {
  return expiresAt !== null && expiresAt <= at;
}

export function defaultExpiry(at: number): number {
  return at + DEFAULT_DAYS * DAY_MS;
}

/** One line that shows its words and does nothing else, since it becomes part of prompts. Throws where it is none or too long. */
export function ruleText(given: string): string {
  return cleanLine(given, "rule", MAX_RULE);
}

/** The same of what a person says about a change request; it may say nothing. */
export function reasonText(given: string): string {
  return given.trim() === "" ? "" : cleanLine(given, "reason", MAX_REASON);
}

function cleanLine(given: string, what: string, most: number): string {
  const text = terminalText(given).replace(/\s+/g, " ").trim();
  const length = Array.from(text).length;
  if (length === 0) throw new UserError("invalid", `The ${what} is empty.`, "Say it in a sentence.");
  if (length <= most) return text;
  throw new UserError("invalid", `The ${what} has ${length} characters; at most ${most} fit.`, "Say it shorter.");
}

const REASON_WORDS: Readonly<Record<ReasonKind, string>> = {
  wrong: "wrong",
  not_worth_it: "not worth it",
  too_big: "too big",
  duplicate: "duplicate",
  style: "style",
  other: "other reasons",
};

/** `too big`, `too-big` and `Too_Big` are one; null for what is none. */
export function readReasonKind(word: string): ReasonKind | null {
  const plain = word
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
  return REASON_KINDS.find((kind) => kind === plain) ?? null;
}

/** `Not wanted (too big): Split the cart. It breaks the mobile app. Files: src/cart.ts` */
export function ruleOfReason(
  { title, files }: Pick<Proposal, "title" | "files">,
  { kind, text }: { readonly kind: ReasonKind; readonly text: string },
): string {
  const said = [terminalLine(title, MAX_TITLE), text].filter((part) => part !== "").map(withFullStop);
  const line = [
    `Not wanted (${REASON_WORDS[kind]}):`,
    ...said,
    ...(files.length === 0 ? [] : [`Files: ${files.join(", ")}`]),
  ];
  return terminalLine(line.join(" "), MAX_RULE);
}

function withFullStop(text: string): string {
  return /[.!?。…]$/.test(text) ? text : `${text}.`;
}

/** The rules as a list for a prompt, where they stand as data; empty where there are none. */
export function describeRules(rules: readonly Pick<ProjectRule, "text">[]): string {
  return rules.map(({ text }) => `- ${terminalLine(text, MAX_RULE)}`).join("\n");
}

export const EXPIRY_FORM = "a time such as 90d or 12w, a day such as 2027-01-31, or never";

/** When something that ends after `90d`, `12w`, on `2027-01-31` or `never` ends; undefined for what is none of these. */
export function parseExpiry(text: string, now: number): number | null | undefined {
  if (text === "never") return null;
  const [, amount, unit] = /^(\d{1,4})([dw])$/.exec(text) ?? [];
  if (amount !== undefined) {
    const days = Number(amount) * (unit === "w" ? 7 : 1);
    return days > 0 && days <= MOST_DAYS ? now + days * DAY_MS : undefined;
  }
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)) return undefined;
  const at = Date.parse(text);
  // Date.parse takes the 31st of February for a day in March.
  const isDay =
    !Number.isNaN(at) && new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10));
  return isDay ? at : undefined;
}
