import { sumUsd } from "./cost-dimensions.ts";
import type { BudgetSettings, CommonBudget } from "../settings/settings.ts";
import { addDays, createCalendar } from "../schedule/calendar.ts";

/** The maximum for one night or month, for one project or for all together. */
export interface BudgetLimit extends BudgetWindow {
  readonly window: "night" | "month";
  /** Null means the sum over all projects. */
  readonly project: string | null;
  readonly usd: number;
  readonly timeZone: string;
}

/** How much of a limit is used. */
export interface BudgetUse {
  readonly spentUsd: number;
  /** Number of runs with a cost. */
  readonly runs: number;
  /** Number of ended runs with unknown cost. They are not in the sum. */
  readonly unknownRuns: number;
  /** What running runs may still spend. */
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

/** Returns the limits at a time. Empty if no budget is configured. */
export function limitsAt({ project, timeZone, budget, commonBudget: all, at }: LimitsParams): readonly BudgetLimit[] {
  const limit = (window: "night" | "month", usd: number | null, of: Whose): BudgetLimit[] =>
    usd === null ? [] : [{ window, usd, ...of, ...(window === "night" ? nightOf : monthOf)(at, of.timeZone) }];
  const own = (usd: number | null, most: number | null): number | null =>
    // A project cannot exceed a limit that is not below the limit for all projects in the same period.
    usd !== null && most !== null && most <= usd && all.timeZone === timeZone ? null : usd;
  return [
    ...limit("night", own(budget.nightUsd, all.nightUsd), { project, timeZone }),
    ...limit("month", own(budget.monthUsd, all.monthUsd), { project, timeZone }),
    ...limit("night", all.nightUsd, { project: null, timeZone: all.timeZone }),
    ...limit("month", all.monthUsd, { project: null, timeZone: all.timeZone }),
  ];
}

type Whose = Pick<BudgetLimit, "project" | "timeZone">;

/** `reserved`: there is money left, but running runs have reserved it. Unused amounts become available when they end. */
export type Allowance =
  | { readonly kind: "allowed"; readonly usd: number | null }
  | { readonly kind: "reserved"; readonly by: UsedLimit }
  | { readonly kind: "spent"; readonly by: UsedLimit };

/** No model call costs less than one cent, so a run with a smaller allowance is not started. */
const MIN_USD = 0.01;

/** Returns what a run may spend that requests `most`. Null means no maximum. */
export function allow(used: readonly UsedLimit[], most: number | null): Allowance {
  const least = Math.min(MIN_USD, most ?? MIN_USD);
  const gone = used.filter(({ limit, use }) => sumUsd([limit.usd, -use.spentUsd]) < least);
  const [spent] = gone.toSorted((a, b) => b.limit.until - a.limit.until);
  // Of several spent limits, the one that resets last decides.
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
  /** Null means that the task has no limit. */
  readonly leftUsd: number | null;
  readonly isSpent: boolean;
}

/** Returns what earlier runs of the task left of its budget. */
export function leftForTask(limitUsd: number | null, costs: readonly (number | null)[]): TaskBudget {
  if (limitUsd === null) return { leftUsd: null, isSpent: false };
  const leftUsd = sumUsd([limitUsd, ...costs.map((cost) => -(cost ?? 0))]);
  return { leftUsd, isSpent: leftUsd < Math.min(MIN_USD, limitUsd) || limitUsd === 0 };
}

/** A period for a budget. `until` is exclusive. */
export interface BudgetWindow {
  readonly since: number;
  readonly until: number;
}

/** A night lasts from noon to noon, so that work started in the evening counts together with work that ends in the morning. */
export function nightOf(at: number, timeZone: string): BudgetWindow {
  const { dayOf, noonOf } = createCalendar(timeZone);
  const today = dayOf(at);
  const noon = noonOf(today);
  return at < noon
    ? { since: noonOf(addDays(today, -1)), until: noon }
    : { since: noon, until: noonOf(addDays(today, 1)) };
}

export function monthOf(at: number, timeZone: string): BudgetWindow {
  const { dayOf, startOf } = createCalendar(timeZone);
  const first = firstOfMonth(dayOf(at));
  // A month has between 28 and 31 days.
  return { since: startOf(first), until: startOf(firstOfMonth(addDays(first, 31))) };
}

function firstOfMonth(day: string): string {
  return `${day.slice(0, 7)}-01`;
}
