import type { Allowance, BudgetLimit, UsedLimit } from "../core/money/budget.ts";
import type { CostDimension } from "../core/money/cost-dimensions.ts";
import type { CostBasis, Tokens } from "../core/task/run.ts";
import type { Lease } from "./store.ts";

/** Costs, and the budget that open runs have reserved. */
export interface MoneyStore {
  /**
   * What agents' runs cost, summed up by `by` and in its order; one row for everything where `by` is empty. A run counts at
   * the moment it ended, and stays counted when its task is deleted: what was spent stays spent.
   */
  costs(query: CostQuery): Promise<readonly CostRow[]>;
  /** The same as one sum, for budgets. */
  spent(query: SpentQuery): Promise<Spent>;
  /** What of each limit is spent, and what is reserved by runs that are open. */
  listUse(limits: readonly BudgetLimit[]): Promise<readonly UsedLimit[]>;
  /**
   * Sets aside what a run may spend, if the limits leave something: it counts as spent until the run ends, and then what the
   * run cost does. A run that has a reservation keeps it, whoever asks again. Throws LeaseLostError like `updateRun`.
   */
  reserve(lease: Lease, request: ReserveRequest): Promise<Allowance>;
}

export interface ReserveRequest {
  readonly limits: readonly BudgetLimit[];
  /** What it may spend at most, whatever the limits leave; null: nothing else limits it. */
  readonly mostUsd: number | null;
}

export interface SpentQuery {
  readonly since: number;
  /** The first moment that no longer counts. */
  readonly until: number;
  /** Null: all of them. */
  readonly project: string | null;
}

export interface CostQuery extends SpentQuery {
  readonly by: readonly CostDimension[];
  /** Whose days are meant. */
  readonly timeZone: string;
}

export interface Spent {
  readonly runs: number;
  /** The sum of what is known. */
  readonly knownUsd: number;
  /** Runs whose cost nobody knows: they are not in the sum. */
  readonly unknownRuns: number;
  readonly tokens: Tokens;
  /** Runs of which not even the tokens are known. */
  readonly unknownTokens: number;
  /** How many runs have their cost by which way. */
  readonly basis: Readonly<Record<CostBasis, number>>;
}

export interface CostRow extends Spent {
  /** A value for each dimension that was asked for; `day` is `YYYY-MM-DD`, null is what a run has none of. */
  readonly key: Readonly<Partial<Record<CostDimension, string | null>>>;
}
