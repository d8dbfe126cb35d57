import { describePastEstimates, type PastEstimates } from "../../../core/money/past-estimates.ts";
import { shortHash } from "../../../core/text/short-hash.ts";
import { escapedLine, terminalText } from "../../../core/text/terminal-text.ts";
import type { DocumentJson } from "../../../http/client/client.ts";
import { describeRevision } from "./document-diff.ts";
import { indentText } from "../terminal/fit-text.ts";
import { renderMarkdown } from "../terminal/markdown.ts";
import { paint, type Screen } from "../terminal/style.ts";
import { duration } from "../terminal/words.ts";

type Fields = readonly (readonly [name: string, value: unknown])[];

/** Texts that agents write as Markdown. The prompts are shown as they are, because the next agent gets them like that. */
const MARKDOWN: ReadonlySet<string> = new Set(["plan", "design", "report", "review", "reasoning"]);

/** The fields of plans, designs and reports in reading order. Other fields follow. */
const ORDER = [
  "problems",
  "approval_reasons",
  "summary",
  "plan_summary",
  "plan",
  "design",
  "report",
  "review",
  "subtasks",
  "files",
  "prompt",
  "system_prompt",
  "tools",
  "commands",
  "directories",
  "added_directories",
  "network",
  "needs_git",
  "estimate",
  "past_estimates",
  "limits",
  "reasoning",
];

export interface ShownDocument extends Pick<DocumentJson, "kind" | "version" | "hash" | "content" | "text"> {
  /** The version before a revision. */
  readonly previous?: Pick<DocumentJson, "version" | "text">;
}

/** Formats a document as a page. Every field of it is shown, because an approval holds for all of them. */
export function describeDocument(screen: Screen, document: ShownDocument): string {
  const { kind, version, hash } = document;
  const fields = Object.entries(fieldsOf(document))
    .filter(([name, value]) => value != null && value !== "" && !isSettled(name, value))
    .toSorted(([a], [b]) => positionOf(a) - positionOf(b));
  const short = fields.filter((field) => !isText(field) && !(field[0] in PROBLEM_HEADINGS));
  const firstShort = short[0]?.[0] ?? "";
  const blocks = fields.flatMap((field) => {
    if (isText(field)) return [describeText(screen, field)];
    if (field[0] in PROBLEM_HEADINGS) return [describeProblems(screen, field)];
    return field[0] === firstShort ? [describeFields(screen, short)] : [];
  });
  const heading = `${labelOf(kind)} ${shortHash(hash)}${version === 1 ? "" : ` (version ${version})`}`;
  return `${paint(screen, "bold", heading)}\n${blocks.join("\n\n")}\n${describeChanges(screen, document)}`;
}

/** A person who asked for a revision wants to see what it changed. */
function describeChanges(screen: Screen, { text, previous }: ShownDocument): string {
  if (previous === undefined) return "";
  const changes = describeRevision(screen, previous.text, text);
  const title = paint(screen, "bold", `Changes since version ${previous.version}`);
  return `\n  ${title}\n${changes === "" ? "    None.\n" : changes}`;
}

/** The API has designs, reports and reviews as Markdown that contains all of their fields but the summary. */
function fieldsOf({ kind, content, text }: ShownDocument): Readonly<Record<string, unknown>> {
  return kind === "plan" ? content : { summary: content["summary"], [kind]: text };
}

/** A plan without problems does not mention them. */
function isSettled(name: string, value: unknown): boolean {
  return name in PROBLEM_HEADINGS && Array.isArray(value) && value.length === 0;
}

function isText([, value]: Fields[number]): boolean {
  return typeof value === "string";
}

function positionOf(name: string): number {
  const position = ORDER.indexOf(name);
  return position === -1 ? ORDER.length : position;
}

function describeText(screen: Screen, [name, value]: Fields[number]): string {
  const text = String(value);
  const body = MARKDOWN.has(name)
    ? renderMarkdown(screen, text, "    ")
    : indentText(screen, terminalText(text).trim(), "    ");
  return `  ${paint(screen, "bold", labelOf(name))}\n${body}`;
}

/** Lists that come first: with a problem, the plan cannot be approved; with a reason, it does not approve itself. */
const PROBLEM_HEADINGS: Readonly<Record<string, string>> = {
  problems: "Cannot be granted",
  approval_reasons: "Not approved automatically",
};

function describeProblems(screen: Screen, [name, problems]: Fields[number]): string {
  const items = Array.isArray(problems) ? problems.map(describeItem) : [];
  const lines = items.map((item) => indentText(screen, `- ${item}`, "    ", "      "));
  return [`  ${paint(screen, "bold", PROBLEM_HEADINGS[name] ?? name)}`, ...lines].join("\n");
}

/** The fields that are not texts, with aligned values. */
function describeFields(screen: Screen, fields: Fields): string {
  const width = Math.max(...fields.map(([name]) => labelOf(name).length));
  return fields
    .map(([name, value]) => {
      const label = labelOf(name).padEnd(width);
      const body = indentText(screen, describeValue(name, value), "", " ".repeat(width + 4));
      return `  ${paint(screen, "bold", label)}  ${body}`;
    })
    .join("\n");
}

function describeValue(name: string, value: unknown): string {
  if (Array.isArray(value)) return describeList(name, value.map(describeItem));
  if (typeof value === "boolean") return value ? "yes" : "no";
  // Validated by the schema of the plan.
  if (name === "past_estimates") return describePastEstimates(value as PastEstimates);
  if (typeof value === "object" && value !== null)
    return Object.entries(value)
      .filter(([, amount]) => amount !== null)
      .map(([unit, amount]) => describeAmount(unit, amount))
      .join(", ");
  return describeItem(value);
}

function describeList(name: string, items: readonly string[]): string {
  if (items.length === 0) return "none";
  return name === "subtasks" ? items.map((item, index) => `${index + 1}. ${item}`).join("\n") : items.join(", ");
}

function describeItem(value: unknown): string {
  return escapedLine(typeof value === "string" ? value : JSON.stringify(value));
}

function describeAmount(unit: string, amount: unknown): string {
  if (typeof amount !== "number") return `${labelOf(unit).toLowerCase()} ${describeItem(amount)}`;
  if (unit === "usd") return describeUsd(amount);
  if (unit === "minutes") return duration(amount * 60_000).replace(/ 0 s$/, "");
  return `${amount.toLocaleString("en-US")} ${labelOf(unit).toLowerCase()}`;
}

/** Exact, because an approval holds for it. */
function describeUsd(amount: number): string {
  const cents = amount.toFixed(2);
  return `$${Number.isInteger(amount) || Number(cents) !== amount ? amount : cents}`;
}

const LABELS: Readonly<Record<string, string>> = {
  needs_git: "Needs git",
  plan_summary: "In short",
  added_directories: "Added by --allow-dir",
};

function labelOf(name: string): string {
  const words = escapedLine(name).replaceAll("_", " ");
  return LABELS[name] ?? `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
