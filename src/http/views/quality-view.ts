import { rate, type Quality } from "../../core/quality/quality.ts";
import type { Spent } from "../../ports/store-money.ts";
import type { QualityJson, QualityRowJson } from "../contract/quality.ts";

type Figures = QualityJson["total"];

export function viewQuality(quality: Quality, spent: Spent | undefined): QualityRowJson {
  const { project, pipeline, ...rest } = quality.key;
  return {
    // All runs have these two, but the key contains only the requested dimensions.
    ...(project != null && { project }),
    ...(pipeline != null && { pipeline }),
    ...rest,
    ...viewFigures(quality, spent),
  };
}

export function viewFigures({ runs, medianMs, steps, tasks, checks, changes }: Quality, spent?: Spent): Figures {
  const judged = runs.succeeded + runs.failed;
  const costs = viewMoney(spent);
  return {
    runs: { ...runs },
    success_rate: rate(runs.succeeded, judged),
    median_ms: medianMs,
    attempts: steps === 0 ? null : judged / steps,
    tasks: { ...tasks },
    checks: { ...checks },
    repair_rate: rate(checks.repaired, checks.tasks),
    changes: { ...changes },
    ...costs,
    cost_per_merged_usd: changes.merged === 0 || costs.cost_usd === null ? null : costs.cost_usd / changes.merged,
  };
}

/** An unknown cost is not zero. If all costs are unknown, so is their sum. */
export function viewMoney(spent: Spent | undefined): Pick<Figures, "cost_usd" | "unknown_cost"> {
  if (spent === undefined) return { cost_usd: 0, unknown_cost: 0 };
  const { runs, knownUsd, unknownRuns } = spent;
  return { cost_usd: runs > 0 && unknownRuns === runs ? null : knownUsd, unknown_cost: unknownRuns };
}
