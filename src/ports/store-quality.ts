import type { QualityFacts } from "../core/quality/facts.ts";
import type { SpentQuery } from "./store-money.ts";

export interface QualityQuery extends SpentQuery {
  /** Reads at most this number of runs and of tasks, the newest ones. */
  readonly limit: number;
}

/** What quality figures are computed from. Deleted tasks and their runs are missing, unlike in the costs. */
export interface QualityStore {
  /** `isComplete` is false if the period has more runs or tasks than the limit. */
  readFacts(query: QualityQuery): Promise<QualityFacts & { readonly isComplete: boolean }>;
}
