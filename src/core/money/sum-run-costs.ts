import type { Run } from "../task/run.ts";

export interface RunCosts {
  /** Sum of the known costs. Null if some are unknown and none is known. */
  readonly usd: number | null;
  /** Number of ended runs with unknown cost. */
  readonly unknownRuns: number;
}

/** An unknown cost is not zero. If all costs are unknown, so is their sum. */
export function sumRunCosts(agentRuns: readonly Pick<Run, "costUsd" | "finishedAt">[]): RunCosts {
  const known = agentRuns.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]));
  const unknownRuns = agentRuns.filter(({ finishedAt, costUsd }) => finishedAt !== null && costUsd === null).length;
  const usd = known.length === 0 && unknownRuns > 0 ? null : known.reduce((sum, cost) => sum + cost, 0);
  return { usd, unknownRuns };
}
