import type { RunJson } from "../../../../../src/http/client/client.ts";

export interface RunSums {
  readonly runs: number;
  /** Null if no cost is known. */
  readonly usd: number | null;
  /** Ended runs whose cost is not known, and therefore not in the sum. */
  readonly unknown: number;
  readonly tokens: RunJson["tokens"];
  readonly workedMs: number;
}

/** Sums of agent runs. Runs of checks and publishing use no agent. */
export function sumRuns(runs: readonly RunJson[]): RunSums {
  const known = runs.flatMap(({ cost_usd: usd }) => (usd === null ? [] : [usd]));
  const add = (pick: (run: RunJson) => number): number => runs.reduce((sum, run) => sum + pick(run), 0);
  return {
    runs: runs.length,
    usd: known.length === 0 ? null : known.reduce((sum, usd) => sum + usd, 0),
    unknown: runs.filter(({ cost_usd: usd, finished_at: end }) => usd === null && end !== null).length,
    tokens: {
      input: add(({ tokens }) => tokens.input),
      output: add(({ tokens }) => tokens.output),
      cache_read: add(({ tokens }) => tokens.cache_read),
      cache_write: add(({ tokens }) => tokens.cache_write),
    },
    workedMs: add(({ duration_ms: duration }) => duration ?? 0),
  };
}

export interface RoleShare {
  readonly role: string;
  readonly usd: number;
}

const MAX_ROLES = 4;

/** Known costs by role, the largest first. Small ones are added up if there are many. */
export function sumByRole(runs: readonly RunJson[]): readonly RoleShare[] {
  const sums = new Map<string, number>();
  for (const { role, step, cost_usd: usd } of runs)
    if (usd !== null && usd > 0) sums.set(role ?? step, (sums.get(role ?? step) ?? 0) + usd);
  const all = [...sums].map(([role, usd]) => ({ role, usd })).toSorted((a, b) => b.usd - a.usd);
  if (all.length <= MAX_ROLES) return all;
  const others = all.slice(MAX_ROLES - 1).reduce((sum, { usd }) => sum + usd, 0);
  return [...all.slice(0, MAX_ROLES - 1), { role: "other roles", usd: others }];
}
