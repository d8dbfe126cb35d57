import { UserError } from "../text/errors.ts";
import { REASON_KINDS, type ReasonKind, type Proposal } from "./proposal.ts";
import { terminalLine, terminalText } from "../text/terminal-text.ts";

/** A rule that a person wrote for the project's analyses. It becomes part of their prompts until it expires. */
export interface ProjectRule {
  readonly id: string;
  readonly project: string;
  readonly text: string;
  /** The rejected proposal that led to the rule, and its change request; null if a person added the rule directly. */
  readonly proposal: string | null;
  readonly url: string | null;
  readonly by: string;
  readonly at: number;
  readonly updatedAt: number;
  /** Null: never. */
  readonly expiresAt: number | null;
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 180;
const MAX_DAYS = 3650;
const MAX_RULE = 500;
const MAX_REASON = 300;
const MAX_TITLE = 100;

export function hasExpired({ expiresAt }: Pick<ProjectRule, "expiresAt">, at: number): boolean {
  return expiresAt !== null && expiresAt <= at;
}

export function defaultExpiry(at: number): number {
  return at + DEFAULT_DAYS * DAY_MS;
}

/** One line without control characters, because it becomes part of prompts. Throws if it is empty or too long. */
export function ruleText(input: string): string {
  return cleanLine(input, "rule", MAX_RULE);
}

/** The same for a person's comment on a change request, which may be empty. */
export function reasonText(input: string): string {
  return input.trim() === "" ? "" : cleanLine(input, "reason", MAX_REASON);
}

function cleanLine(input: string, what: string, maxLength: number): string {
  const text = terminalText(input).replace(/\s+/g, " ").trim();
  const length = Array.from(text).length;
  if (length === 0) throw new UserError("invalid", `The ${what} is empty.`, "Write one sentence.");
  if (length <= maxLength) return text;
  throw new UserError(
    "invalid",
    `The ${what} has ${length} characters; at most ${maxLength} are allowed.`,
    "Shorten it.",
  );
}

export const REASON_WORDS: Readonly<Record<ReasonKind, string>> = {
  wrong: "wrong",
  not_worth_it: "not worth it",
  too_big: "too big",
  duplicate: "duplicate",
  style: "style",
  other: "other reasons",
};

/** Accepts spellings such as `too big`, `too-big` and `Too_Big`. Null if unknown. */
export function readReasonKind(word: string): ReasonKind | null {
  const plain = word
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
  return REASON_KINDS.find((kind) => kind === plain) ?? null;
}

/** `Not wanted (too big): Split the cart. It breaks the mobile app. Files: src/cart.ts` */
export function ruleFromReason(
  { title, files }: Pick<Proposal, "title" | "files">,
  { kind, text }: { readonly kind: ReasonKind; readonly text: string },
): string {
  const sentences = [terminalLine(title, MAX_TITLE), text].filter((part) => part !== "").map(withFullStop);
  const line = [
    `Not wanted (${REASON_WORDS[kind]}):`,
    ...sentences,
    ...(files.length === 0 ? [] : [`Files: ${files.join(", ")}`]),
  ];
  return terminalLine(line.join(" "), MAX_RULE);
}

function withFullStop(text: string): string {
  return /[.!?。…]$/.test(text) ? text : `${text}.`;
}

/** The rules as a Markdown list for a prompt; empty if there are none. */
export function describeRules(rules: readonly Pick<ProjectRule, "text">[]): string {
  return rules.map(({ text }) => `- ${terminalLine(text, MAX_RULE)}`).join("\n");
}

export const EXPIRY_FORM = "a time such as 90d or 12w, a day such as 2027-01-31, or never";

/** Parses `90d`, `12w`, `2027-01-31` or `never` (null). Returns undefined for anything else. */
export function parseExpiry(text: string, now: number): number | null | undefined {
  if (text === "never") return null;
  const [, amount, unit] = /^(\d{1,4})([dw])$/.exec(text) ?? [];
  if (amount !== undefined) {
    const days = Number(amount) * (unit === "w" ? 7 : 1);
    return days > 0 && days <= MAX_DAYS ? now + days * DAY_MS : undefined;
  }
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)) return undefined;
  const at = Date.parse(text);
  // Date.parse reads February 31 as a day in March.
  const isDay =
    !Number.isNaN(at) && new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10));
  return isDay ? at : undefined;
}
