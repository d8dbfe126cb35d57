import type { Tokens } from "../task/run.ts";

/** What an execution plan expects, and what its run took. Null: not known. */
export interface Amounts {
  readonly tokens: number | null;
  readonly minutes: number | null;
  readonly usd: number | null;
}

export interface EstimatedRun {
  readonly planned: Amounts;
  readonly actual: Amounts;
}

/** How far estimates were off: 1.4 means that runs took 1.4 times as much as planned. Null: too few runs to tell. */
export interface PastEstimates extends Amounts {
  readonly runs: number;
}

/** Fewer runs say nothing about the next one. */
const MIN_RUNS = 3;

/** The median, so that a single run that went wrong does not count. Null if there are too few runs. */
export function comparePastEstimates(past: readonly EstimatedRun[]): PastEstimates | null {
  const ratioOf = (unit: keyof Amounts): number | null => {
    const ratios = past.flatMap(({ planned, actual }) => {
      const [expected, used] = [planned[unit], actual[unit]];
      return expected === null || expected <= 0 || used === null || used <= 0 ? [] : [used / expected];
    });
    return ratios.length < MIN_RUNS ? null : round(median(ratios));
  };
  const ratios = { tokens: ratioOf("tokens"), minutes: ratioOf("minutes"), usd: ratioOf("usd") };
  return Object.values(ratios).every((ratio) => ratio === null) ? null : { runs: past.length, ...ratios };
}

const WORDS = { minutes: "time", tokens: "tokens", usd: "cost" } as const;

/** A sentence for people. */
export function describePastEstimates({ runs, ...ratios }: PastEstimates): string {
  const parts = (["minutes", "tokens", "usd"] as const).flatMap((unit) => {
    const ratio = ratios[unit];
    return ratio === null ? [] : [`${WORDS[unit]} ${describeRatio(ratio)}`];
  });
  return `In the last ${runs} runs of this project, estimates were usually: ${parts.join(", ")}.`;
}

function describeRatio(ratio: number): string {
  if (ratio >= 0.9 && ratio <= 1.1) return "about right";
  return ratio > 1 ? `${ratio} × too low` : `${round(1 / ratio)} × too high`;
}

/** All tokens, whether cached or not. */
export function totalTokens({ input, output, cacheRead, cacheWrite }: Tokens): number {
  return input + output + cacheRead + cacheWrite;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Two significant digits, because estimates are not more exact than that. */
function round(ratio: number): number {
  return Number(ratio.toPrecision(2));
}
