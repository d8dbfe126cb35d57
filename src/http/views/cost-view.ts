import type { UsedLimit } from "../../core/money/budget.ts";
import { add } from "../../core/money/cost.ts";
import { sumUsd, type CostDimension } from "../../core/money/cost-dimensions.ts";
import { NO_TOKENS } from "../../core/task/run.ts";
import type { CostRow, Spent } from "../../ports/store-money.ts";
import type { BudgetJson, CostsJson } from "../contract/costs.ts";
import { iso, viewTokens } from "./views.ts";

export interface CostSpan {
  readonly since: number;
  readonly until: number;
  readonly timeZone: string;
  readonly by: readonly CostDimension[];
}

/** The total is computed from these rows, so that a run that ends meanwhile is in both or in neither. */
export function viewCosts(rows: readonly CostRow[], { since, until, timeZone, by }: CostSpan): CostsJson {
  return {
    since: iso(since),
    until: iso(until),
    time_zone: timeZone,
    by: [...by],
    rows: rows.map((row) => ({ ...viewKey(row.key), ...viewSpent(row) })),
    total: viewSpent(sumOf(rows)),
  };
}

export function viewBudget({ limit, use }: UsedLimit): BudgetJson {
  return {
    window: limit.window,
    project: limit.project,
    limit_usd: limit.usd,
    spent_usd: use.spentUsd,
    reserved_usd: use.reservedUsd,
    runs: use.runs,
    running: use.running,
    unknown_cost: use.unknownRuns,
    since: iso(limit.since),
    until: iso(limit.until),
    time_zone: limit.timeZone,
  };
}

function viewKey({ day, night, project, pipeline, ...rest }: CostRow["key"]) {
  return {
    // All runs have these four, but the key contains only the requested dimensions.
    ...(day != null && { day }),
    ...(night != null && { night }),
    ...(project != null && { project }),
    ...(pipeline != null && { pipeline }),
    ...rest,
  };
}

/** An unknown cost is not zero. If all costs are unknown, so is their sum. */
function viewSpent({ runs, knownUsd, unknownRuns, tokens, unknownTokens, basis }: Spent) {
  return {
    runs,
    cost_usd: runs > 0 && unknownRuns === runs ? null : knownUsd,
    unknown_cost: unknownRuns,
    tokens: runs > 0 && unknownTokens === runs ? null : viewTokens(tokens),
    unknown_tokens: unknownTokens,
    basis: { ...basis },
  };
}

function sumOf(rows: readonly Spent[]): Spent {
  const total = (of: (row: Spent) => number): number => rows.reduce((sum, row) => sum + of(row), 0);
  return {
    runs: total(({ runs }) => runs),
    knownUsd: sumUsd(rows.map(({ knownUsd }) => knownUsd)),
    unknownRuns: total(({ unknownRuns }) => unknownRuns),
    tokens: rows.reduce((sum, { tokens }) => add(sum, tokens), NO_TOKENS),
    unknownTokens: total(({ unknownTokens }) => unknownTokens),
    basis: {
      reported: total(({ basis }) => basis.reported),
      metered: total(({ basis }) => basis.metered),
      computed: total(({ basis }) => basis.computed),
      unknown: total(({ basis }) => basis.unknown),
    },
  };
}
