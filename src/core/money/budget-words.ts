import type { BudgetLimit, BudgetUse, UsedLimit } from "./budget.ts";

/** Why nothing is started although somebody might still give some of it back, or because nothing is left. */
export function describeRefusal(kind: "spent" | "reserved", { limit, use }: UsedLimit): string {
  const budget = `the ${limit.window}'s budget of ${sayUsd(limit.usd)}${limit.project === null ? " for all projects" : ""}`;
  const where = `${budget} (budget.${limit.window}_usd)`;
  return kind === "spent"
    ? `${where} is spent (${describeUse(use)}); it opens again at ${sayMoment(limit)}`
    : `${where} is promised (${describeUse(use)}); what those under way leave is there when they end`;
}

/** `$19.80 by 14 runs, $0.50 reserved by 1 running`. */
export function describeUse({ spentUsd, runs, unknownRuns, reservedUsd, running }: BudgetUse): string {
  return [
    `${sayUsd(spentUsd)} by ${count(runs, "run")}`,
    ...(running > 0 ? [`${sayUsd(reservedUsd)} reserved by ${running} running`] : []),
    ...(unknownRuns > 0 ? [`${count(unknownRuns, "run")} of unknown cost not counted`] : []),
  ].join(", ");
}

export interface SpentTask {
  readonly limitUsd: number;
  /** Of the earlier runs of agents; null: unknown. */
  readonly costs: readonly (number | null)[];
  /** The task itself was submitted with this limit. */
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
    ? "it was submitted with that budget, so what is left is a task of its own"
    : "raise budget.task_usd to go on";
  return `the task's budget of ${sayUsd(limitUsd)} is spent (${use}): ${remedy}`;
}

/** Said where a limit should have counted a run and cannot. */
export function describeUncounted(keys: readonly string[]): string {
  return `nobody knows what this run cost: ${keys.join(", ")} cannot count it, and more may be spent than ${keys.length === 1 ? "it allows" : "they allow"}`;
}

export function sayUsd(usd: number): string {
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
