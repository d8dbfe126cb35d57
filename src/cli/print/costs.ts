import { describeUse, usdWords } from "../../core/money/budget-words.ts";
import { terminalLine } from "../../core/text/terminal-text.ts";
import type { BudgetJson, CostsJson } from "../../http/client/client.ts";
import { paint, type Screen } from "./terminal/style.ts";
import { table, type Column } from "./terminal/table.ts";

type Sums = CostsJson["total"];

const MAX_NAME = 60;

const FIGURES: readonly Column[] = [
  { heading: "RUNS", align: "right", drop: 5 },
  { heading: "INPUT", align: "right", drop: 6 },
  { heading: "OUTPUT", align: "right", drop: 7 },
  { heading: "CACHE READ", align: "right", drop: 3 },
  { heading: "CACHE WRITE", align: "right", drop: 2 },
  { heading: "COST", align: "right" },
  { heading: "UNKNOWN", align: "right", drop: 4 },
  { heading: "BASIS", min: 8, drop: 1 },
];

/** Formats costs for a terminal, with aligned numbers. A sum that lacks unknown costs is marked with "≥". */
export function costsTable(screen: Screen, costs: CostsJson): string {
  const { by, rows, total } = costs;
  if (rows.length === 0) return `No agent run ended in this period (${spanOf(costs)}).\n`;
  const dimensions = by.map((dimension): Column => ({ heading: dimension.toUpperCase(), min: 10 }));
  const sums = ["all", ...by.slice(1).map(() => ""), ...figures(total, TERMINAL_FORMAT)];
  const printed = table(
    screen,
    [...dimensions, ...FIGURES],
    [
      ...rows.map((row) => [...namesOf(row, by), ...figures(row, TERMINAL_FORMAT)]),
      sums.map((text) => ({ text, style: "bold" as const })),
    ],
  );
  return `${printed}${paint(screen, "gray", spanOf(costs))}\n`;
}

/** Formats costs for programs: one line per row, separated by tabs, with unformatted numbers. */
export function costsTsv({ by, rows, total }: CostsJson): string {
  const heading = [...by.map((dimension) => dimension.toUpperCase()), ...FIGURES.map((figure) => figure.heading)];
  const body = rows.map((row) => [...namesOf(row, by), ...figures(row, PLAIN_FORMAT)]);
  const all = ["all", ...by.slice(1).map(() => ""), ...figures(total, PLAIN_FORMAT)];
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

function figures(sums: Sums, form: NumberFormat): readonly string[] {
  const { runs, tokens, unknown_tokens, cost_usd, unknown_cost } = sums;
  const more = (unknown: number): string => (unknown > 0 ? form.atLeast : "");
  const counts = tokens === null ? null : [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write];
  return [
    form.tokens(runs),
    ...(counts?.map((count) => more(unknown_tokens) + form.tokens(count)) ?? Array<string>(4).fill("unknown")),
    cost_usd === null ? "unknown" : more(unknown_cost) + form.usd(cost_usd),
    form.tokens(unknown_cost),
    basisOf(sums),
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
