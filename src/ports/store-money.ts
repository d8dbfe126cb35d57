import type { Allowance, BudgetLimit, UsedLimit } from "../core/money/budget.ts";
import type { CostDimension } from "../core/money/cost-dimensions.ts";
import type { CostBasis, Tokens } from "../core/task/run.ts";
import type { Lease } from "./store.ts";

/** Costs, and the budget that open runs have reserved. */
export interface MoneyStore {
  /**
   * Sums up the costs of agent runs, grouped and sorted by `by`. An empty `by` returns one row. A run counts at the time it
   * ended. Runs of deleted tasks still count.
   */
  costs(query: CostQuery): Promise<readonly CostRow[]>;
  /** The total of the same costs, for budgets. */
  spent(query: SpentQuery): Promise<Spent>;
  /** Returns for each limit what is spent and what open runs have reserved. */
  listUse(limits: readonly BudgetLimit[]): Promise<readonly UsedLimit[]>;
  /**
   * Reserves the money that a run may spend, if the limits leave any. The reservation counts as spent until the run ends and
   * its actual cost is known. Calling this again keeps the reservation. Throws LeaseLostError like `updateRun`.
   */
  reserve(lease: Lease, request: ReserveRequest): Promise<Allowance>;
}

export interface ReserveRequest {
  readonly limits: readonly BudgetLimit[];
  /** Upper limit of the reservation. Null: only `limits` apply. */
  readonly maxUsd: number | null;
}

export interface SpentQuery {
  readonly since: number;
  /** Exclusive. */
  readonly until: number;
  /** Null: all projects. */
  readonly project: string | null;
}

export interface CostQuery extends SpentQuery {
  readonly by: readonly CostDimension[];
  /** Defines when a day begins. */
  readonly timeZone: string;
}

export interface Spent {
  readonly runs: number;
  /** Sum of the known costs. */
  readonly knownUsd: number;
  /** Number of runs with unknown cost, which `knownUsd` does not include. */
  readonly unknownRuns: number;
  readonly tokens: Tokens;
  /** Number of runs whose token usage is unknown. */
  readonly unknownTokens: number;
  /** Number of runs for each way in which the cost was determined. */
  readonly basis: Readonly<Record<CostBasis, number>>;
}

export interface CostRow extends Spent {
  /** One value for each dimension in `by`. `day` is `YYYY-MM-DD`. Null if runs have no value for the dimension. */
  readonly key: Readonly<Partial<Record<CostDimension, string | null>>>;
}
