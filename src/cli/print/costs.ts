import { describeUse, usdWords } from "../../core/money/budget-words.ts";
import { terminalLine } from "../../core/text/terminal-text.ts";
import type { BudgetJson, CostsJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";
import { paint } from "./style.ts";
import { table } from "./table.ts";

type Sums = CostsJson["total"];

const FIGURES = ["RUNS", "INPUT", "OUTPUT", "CACHE READ", "CACHE WRITE", "COST", "UNKNOWN"];
const MAX_NAME = 60;

/** Formats costs for a terminal, with aligned numbers. A sum that lacks unknown costs is marked with "≥". */
export function costsTable(context: Pick<CliContext, "color">, costs: CostsJson): string {
  const { by, rows, total } = costs;
  if (rows.length === 0) return `No agent run ended in this period (${spanOf(costs)}).\n`;
  const lines = [...rows, total].map((sums) => figures(sums, TERMINAL_FORMAT));
  const width = (column: number): number =>
    Math.max((FIGURES[column] ?? "").length, ...lines.map((cells) => (cells[column] ?? "").length));
  const alignRight = (cells: readonly string[]): readonly string[] =>
    cells.map((cell, column) => cell.padStart(width(column)));
  const names = [...rows.map((row) => namesOf(row, by)), ["all", ...by.slice(1).map(() => "")]];
  const heading = [...by.map((dimension) => dimension.toUpperCase()), ...alignRight(FIGURES), "BASIS"];
  const body = lines.map((cells, line) => [...(names[line] ?? []), ...alignRight(cells), basisOf(rows[line] ?? total)]);
  const printed = table(heading, body).trimEnd().split("\n");
  const sum = printed.pop() ?? "";
  return [...printed, paint(context, "bold", sum), paint(context, "gray", spanOf(costs)), ""].join("\n");
}

/** Formats costs for programs: one line per row, separated by tabs, with unformatted numbers. */
export function costsTsv({ by, rows, total }: CostsJson): string {
  const heading = [...by.map((dimension) => dimension.toUpperCase()), ...FIGURES, "BASIS"];
  const body = rows.map((row) => [...namesOf(row, by), ...figures(row, PLAIN_FORMAT), basisOf(row)]);
  const all = ["all", ...by.slice(1).map(() => ""), ...figures(total, PLAIN_FORMAT), basisOf(total)];
  return [heading, ...body, all].map((cells) => `${cells.join("\t")}\n`).join("");
}

interface NumberFormat {
  tokens(count: number): string;
  usd(amount: number): string;
  /** Prefix of a sum that is incomplete because some values are unknown. */
  readonly atLeast: string;
}

const TERMINAL_FORMAT: NumberFormat = {
  tokens: (count) => count.toLocaleString("en-US"),
  // A tiny amount must not be shown as zero.
  usd: (amount) => (amount > 0 && amount < 0.000_05 ? "<$0.0001" : `$${amount.toFixed(4)}`),
  atLeast: "≥",
};

const PLAIN_FORMAT: NumberFormat = {
  tokens: String,
  // No exponent notation such as 7e-7, which some programs cannot parse.
  usd: (amount) => amount.toFixed(9).replace(/\.?0+$/, ""),
  // The column UNKNOWN has the number of runs that are not in the sum.
  atLeast: "",
};

function figures(
  { runs, tokens, unknown_tokens, cost_usd, unknown_cost }: Sums,
  form: NumberFormat,
): readonly string[] {
  const more = (unknown: number): string => (unknown > 0 ? form.atLeast : "");
  const counts = tokens === null ? null : [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write];
  return [
    form.tokens(runs),
    ...(counts?.map((count) => more(unknown_tokens) + form.tokens(count)) ?? Array<string>(4).fill("unknown")),
    cost_usd === null ? "unknown" : more(unknown_cost) + form.usd(cost_usd),
    form.tokens(unknown_cost),
  ];
}

/** Agents report the name of their model, so it may contain control characters. */
function namesOf(row: CostsJson["rows"][number], by: CostsJson["by"]): readonly string[] {
  return by.map((dimension) => terminalLine(row[dimension] ?? "–", MAX_NAME));
}

function basisOf({ basis }: Sums): string {
  const used = Object.entries(basis).filter(([, runs]) => runs > 0);
  const [only, ...others] = used;
  if (only === undefined) return "–";
  return others.length === 0 ? only[0] : used.map(([name, runs]) => `${name} ${runs}`).join(", ");
}

function spanOf({ since, until, time_zone }: CostsJson): string {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: time_zone,
    dateStyle: "short",
    timeStyle: "short",
    hourCycle: "h23",
  });
  const say = (at: string): string => format.format(Date.parse(at)).replace(",", "");
  return `${say(since)} to ${say(until)}, ${time_zone}`;
}

/** Example: `tonight in shop: $12.40 by 3 runs, $5 reserved by 1 running; the limit is $20`. */
export function describeBudget(budget: BudgetJson): string {
  const when = budget.window === "night" ? "tonight" : "this month";
  const whose = budget.project === null ? "" : ` in ${budget.project}`;
  const use = describeUse({
    spentUsd: budget.spent_usd,
    runs: budget.runs,
    unknownRuns: budget.unknown_cost,
    reservedUsd: budget.reserved_usd,
    running: budget.running,
  });
  return `${when}${whose}: ${use}; the limit is ${usdWords(budget.limit_usd)}`;
}
