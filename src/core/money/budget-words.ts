import type { BudgetLimit, BudgetUse, UsedLimit } from "./budget.ts";

/** Explains why no run starts: the budget is spent, or reserved by other runs. */
export function describeRefusal(kind: "spent" | "reserved", { limit, use }: UsedLimit): string {
  const budget = `the ${limit.window}'s budget of ${usdWords(limit.usd)}${limit.project === null ? " for all projects" : ""}`;
  const where = `${budget} (budget.${limit.window}_usd)`;
  return kind === "spent"
    ? `${where} is spent (${describeUse(use)}); it resets at ${sayMoment(limit)}`
    : `${where} is reserved (${describeUse(use)}); unused amounts become available when those runs end`;
}

/** `$19.80 by 14 runs, $0.50 reserved by 1 running`. */
export function describeUse({ spentUsd, runs, unknownRuns, reservedUsd, running }: BudgetUse): string {
  return [
    `${usdWords(spentUsd)} by ${count(runs, "run")}`,
    ...(running > 0 ? [`${usdWords(reservedUsd)} reserved by ${running} running`] : []),
    ...(unknownRuns > 0 ? [`${count(unknownRuns, "run")} of unknown cost not counted`] : []),
  ].join(", ");
}

export interface SpentTask {
  readonly limitUsd: number;
  /** Costs of the earlier agent runs. Null means unknown. */
  readonly costs: readonly (number | null)[];
  /** The limit was given when the task was submitted. */
  readonly isOwn: boolean;
}

export function describeSpentTask({ limitUsd, costs, isOwn }: SpentTask): string {
  const use = describeUse({
    spentUsd: costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    runs: costs.filter((cost) => cost !== null && cost > 0).length,
    unknownRuns: costs.filter((cost) => cost === null).length,
    reservedUsd: 0,
    running: 0,
  });
  const remedy = isOwn
    ? "the task was submitted with this budget, so submit the rest as a new task"
    : "raise budget.task_usd to continue";
  return `the task's budget of ${usdWords(limitUsd)} is spent (${use}): ${remedy}`;
}

/** For a limit that should count a run whose cost is unknown. */
export function describeUncounted(keys: readonly string[]): string {
  return `the cost of this run is unknown, so it does not count towards ${keys.join(" and ")} and spending may exceed ${keys.length === 1 ? "it" : "them"}`;
}

export function usdWords(usd: number): string {
  if (usd > 0 && usd < 0.01) return "less than $0.01";
  return Number.isInteger(usd) ? `$${usd}` : `$${usd.toFixed(2)}`;
}

function count(runs: number, word: string): string {
  return `${runs} ${word}${runs === 1 ? "" : "s"}`;
}

/** `12:00 on 2026-11-16 (Europe/Paris)`. */
function sayMoment({ until, timeZone }: Pick<BudgetLimit, "until" | "timeZone">): string {
  const clock = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const calendar = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  return `${clock.format(until)} on ${calendar.format(until)} (${timeZone})`;
}
