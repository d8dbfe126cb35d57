import { monthOf, nightOf, type BudgetWindow } from "./budget-window.ts";
import { sumUsd } from "./cost-dimensions.ts";
import type { BudgetSettings, CommonBudget } from "../task/settings.ts";

/** Most money of one night or month, of one project or of all together. */
export interface BudgetLimit extends BudgetWindow {
  readonly window: "night" | "month";
  /** Null: the sum over all projects. */
  readonly project: string | null;
  readonly usd: number;
  readonly timeZone: string;
}

/** What of a limit is gone. */
export interface BudgetUse {
  readonly spentUsd: number;
  /** Those that cost something. */
  readonly runs: number;
  /** Ended runs whose cost nobody knows: they are not in the sum. */
  readonly unknownRuns: number;
  /** What runs under way may still spend. */
  readonly reservedUsd: number;
  readonly running: number;
}

export interface UsedLimit {
  readonly limit: BudgetLimit;
  readonly use: BudgetUse;
}

export interface LimitsParams {
  readonly project: string;
  readonly timeZone: string;
  readonly budget: Pick<BudgetSettings, "nightUsd" | "monthUsd">;
  readonly commonBudget: CommonBudget;
  readonly at: number;
}

/** The limits that hold at a moment; none where no file names one. */
export function limitsAt({ project, timeZone, budget, commonBudget: all, at }: LimitsParams): readonly BudgetLimit[] {
  const limit = (window: "night" | "month", usd: number | null, of: Whose): BudgetLimit[] =>
    usd === null ? [] : [{ window, usd, ...of, ...(window === "night" ? nightOf : monthOf)(at, of.timeZone) }];
  const own = (usd: number | null, most: number | null): number | null =>
    // What all projects together may spend in the same time, none of them can pass alone.
    usd !== null && most !== null && most <= usd && all.timeZone === timeZone ? null : usd;
  return [
    ...limit("night", own(budget.nightUsd, all.nightUsd), { project, timeZone }),
    ...limit("month", own(budget.monthUsd, all.monthUsd), { project, timeZone }),
    ...limit("night", all.nightUsd, { project: null, timeZone: all.timeZone }),
    ...limit("month", all.monthUsd, { project: null, timeZone: all.timeZone }),
  ];
}

type Whose = Pick<BudgetLimit, "project" | "timeZone">;

/** `reserved`: there is money, but runs under way may need it; what they leave is free when they end. */
export type Allowance =
  | { readonly kind: "allowed"; readonly usd: number | null }
  | { readonly kind: "reserved"; readonly by: UsedLimit }
  | { readonly kind: "spent"; readonly by: UsedLimit };

/** No model answers for less than a cent: a run that may not even spend that is not worth starting. */
const LEAST_USD = 0.01;

/** What a run may spend that wants `most`; null: as much as there is. */
export function allow(used: readonly UsedLimit[], most: number | null): Allowance {
  const least = Math.min(LEAST_USD, most ?? LEAST_USD);
  const gone = used.filter(({ limit, use }) => sumUsd([limit.usd, -use.spentUsd]) < least);
  const [spent] = gone.toSorted((a, b) => b.limit.until - a.limit.until);
  // Of several, the one that opens last: before that, nothing starts.
  if (spent !== undefined) return { kind: "spent", by: spent };
  const [tightest] = used.toSorted((a, b) => leftOf(a) - leftOf(b));
  if (tightest === undefined) return { kind: "allowed", usd: most };
  const left = leftOf(tightest);
  if (left < least) return { kind: "reserved", by: tightest };
  return { kind: "allowed", usd: most === null ? left : Math.min(most, left) };
}

function leftOf({ limit, use }: UsedLimit): number {
  return sumUsd([limit.usd, -use.spentUsd, -use.reservedUsd]);
}

export interface TaskBudget {
  /** Null: nothing limits the task. */
  readonly leftUsd: number | null;
  readonly isSpent: boolean;
}

/** What earlier runs of the task left of its budget. */
export function leftForTask(limitUsd: number | null, costs: readonly (number | null)[]): TaskBudget {
  if (limitUsd === null) return { leftUsd: null, isSpent: false };
  const leftUsd = sumUsd([limitUsd, ...costs.map((cost) => -(cost ?? 0))]);
  return { leftUsd, isSpent: leftUsd < Math.min(LEAST_USD, limitUsd) || limitUsd === 0 };
}
