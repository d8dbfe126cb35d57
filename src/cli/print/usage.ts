import type { RunJson, TaskJson } from "../../http/client/client.ts";
import { shortId } from "./terminal/short-id.ts";
import type { Screen } from "./terminal/style.ts";
import { table, type Cell, type Column } from "./terminal/table.ts";
import { duration, money } from "./terminal/words.ts";

const COLUMNS: readonly Column[] = [
  { heading: "RUN" },
  { heading: "ROLE", drop: 6 },
  { heading: "AGENT", min: 8, drop: 5 },
  { heading: "MODEL", min: 10, drop: 4 },
  { heading: "TIME", align: "right" },
  { heading: "INPUT", align: "right", drop: 8 },
  { heading: "OUTPUT", align: "right", drop: 7 },
  { heading: "CACHE READ", align: "right", drop: 2 },
  { heading: "CACHE WRITE", align: "right", drop: 1 },
  { heading: "COST", align: "right" },
  { heading: "BASIS", drop: 3 },
];

/** What the agents of a task used. Empty as long as none has started. */
export function usageTable(screen: Screen, task: TaskJson): string {
  const runs = task.runs.filter(({ step, started_at: started }) => step === "agent" && started !== null);
  if (runs.length === 0) return "";
  const sum = ["all", "", "", "", duration(task.agent_ms ?? 0), ...sumOf(runs, task), ""];
  const total = sum.map((text): Cell => ({ text, style: "bold" }));
  return table(screen, COLUMNS, [...runs.map((run) => rowOf(screen, run)), ...(runs.length > 1 ? [total] : [])]);
}

function rowOf(screen: Screen, run: RunJson): readonly Cell[] {
  const names = [shortId(screen, run), run.role ?? run.step, run.agent ?? "", run.model ?? ""];
  if (run.finished_at === null) return [...names, run.status];
  return [
    ...names,
    run.duration_ms === null ? "" : duration(run.duration_ms),
    ...counts(isKnown(run) ? run.tokens : null),
    money(run.cost_usd),
    run.cost_basis === "unknown" ? "" : run.cost_basis,
  ];
}

/** Tokens and cost. A sum of unknown values is unknown, and not zero. */
function sumOf(runs: readonly RunJson[], task: TaskJson): readonly string[] {
  const isUnknown = runs.every((run) => run.finished_at !== null && !isKnown(run));
  return isUnknown ? [...counts(null), "unknown"] : [...counts(task.tokens), costOf(task)];
}

function isKnown({ cost_basis: basis, tokens }: RunJson): boolean {
  return basis !== "unknown" || Object.values(tokens).some((count) => count > 0);
}

function costOf({ cost_usd: cost, unknown_cost: unknown }: TaskJson): string {
  return money(cost, unknown ?? 0);
}

function counts(tokens: TaskJson["tokens"]): readonly string[] {
  if (tokens === null) return ["unknown", "unknown", "", ""];
  return [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write].map((count) =>
    count.toLocaleString("en-US"),
  );
}
