import { describePastEstimates, type PastEstimates } from "../../../../src/core/money/past-estimates.ts";
import { escapedText } from "../../../../src/core/text/terminal-text.ts";
import { plural } from "../../ui/format.ts";

export interface DeedRow {
  readonly label: string;
  /** `text` is shown as written, `code` as a list of names, `words` as a sentence. */
  readonly kind: "text" | "code" | "words";
  readonly values: readonly string[];
  readonly hint?: string;
}

type Content = Readonly<Record<string, unknown>>;

/** Shown above and below the rows. */
const ELSEWHERE: ReadonlySet<string> = new Set(["problems", "approval_reasons", "reasoning"]);

interface Place {
  /** The agent works directly in the project's directory. */
  readonly inPlace: boolean;
}

/**
 * What a person signs with an execution plan, a row for each field. Invisible characters are shown as escapes, because the agent
 * would read them.
 */
export function deedRows(content: Content, { inPlace }: Place): readonly DeedRow[] {
  const known = KNOWN.flatMap(([name, row]) => row(content[name], content) ?? []);
  const rest = Object.entries(content)
    .filter(([name, value]) => value != null && !ELSEWHERE.has(name) && !KNOWN.some(([each]) => each === name))
    .map(([name, value]): DeedRow => ({
      label: name,
      kind: "text",
      values: [escapedText(JSON.stringify(value, null, 2))],
    }));
  return [...known, ...rest, { label: "Works", kind: "words", values: [inPlace ? IN_PLACE : IN_WORKSPACE] }];
}

const IN_PLACE = "Directly in the project's directory. There is nothing to apply afterwards.";
const IN_WORKSPACE = "In a copy of the project. nightshift apply brings the files over to your checkout.";

type RowOf = (value: unknown, content: Content) => DeedRow | null;

const KNOWN: readonly (readonly [name: string, row: RowOf])[] = [
  ["summary", (value) => textRow("In short", value)],
  ["prompt", (value) => textRow("Prompt", value)],
  ["system_prompt", (value) => textRow("System prompt", value)],
  ["tools", (value) => listRow("Tools", value, "None")],
  [
    "commands",
    (value) =>
      Array.isArray(value)
        ? listRow("Programs", value, "None")
        : words("Programs", "Every program that the project allows"),
  ],
  [
    "directories",
    (value) => ({
      ...(listRow("May write", value, "Nothing, it only reads") ?? words("May write", "Nothing, it only reads")),
      hint: "Everything else is read-only.",
    }),
  ],
  [
    "added_directories",
    (value) => {
      const row = listRow("Also", value, null);
      return row === null ? null : { ...row, hint: "Added when the task was submitted, by --allow-dir." };
    },
  ],
  ["network", (value) => listRow("Network", value ?? [], "None")],
  [
    "needs_git",
    (value) => words("Git", value === true ? "Needed: it may commit and push its own branch" : "Not needed"),
  ],
  ["limits", (value) => words("Limits", amounts(value) || "Those of the task and the project")],
  [
    "estimate",
    (value, content) => ({
      ...words("Estimate", amounts(value) || "None"),
      hint: ["By the agent that planned.", describePast(content["past_estimates"])].filter(Boolean).join(" "),
    }),
  ],
  ["past_estimates", () => null],
];

function textRow(label: string, value: unknown): DeedRow | null {
  return typeof value === "string" && value.trim() !== ""
    ? { label, kind: "text", values: [escapedText(value.trim())] }
    : null;
}

function words(label: string, value: string): DeedRow {
  return { label, kind: "words", values: [value] };
}

/** Null if there is nothing to show. */
function listRow(label: string, value: unknown, none: string | null): DeedRow | null {
  const values = (Array.isArray(value) ? value : []).map((each) => escapedText(String(each)));
  if (values.length > 0) return { label, kind: "code", values };
  return none === null ? null : words(label, none);
}

/** "15 min, 40,000 tokens, $5.00". */
function amounts(value: unknown): string {
  const { minutes, tokens, usd } = (value ?? {}) as Content;
  return [
    ...(typeof minutes === "number" ? [`${minutes} min`] : []),
    ...(typeof tokens === "number" ? [plural(tokens, "token")] : []),
    ...(typeof usd === "number" ? [`$${exactMoney(usd)}`] : []),
  ].join(", ");
}

/** Exact, because an approval holds for it. */
function exactMoney(usd: number): string {
  return Number(usd.toFixed(2)) === usd ? usd.toFixed(2) : String(usd);
}

function describePast(past: unknown): string {
  // Written by the engine.
  return past == null ? "" : describePastEstimates(past as PastEstimates);
}
