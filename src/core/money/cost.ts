import { costOf, priceOf, type PriceTable } from "./prices.ts";
import { type CostBasis, NO_TOKENS, type Tokens } from "../task/run.ts";
import type { TranscriptEvent, UsageEvent } from "../task/transcript.ts";

/** What a run used. */
export interface Usage {
  readonly tokens: Tokens;
  readonly costUsd: number | null;
  readonly basis: CostBasis;
}

/** Nobody said anything yet: unknown, which is not the same as free. */
export const NO_USAGE: Usage = { tokens: NO_TOKENS, costUsd: null, basis: "unknown" };

export interface UsageParams {
  /** What the CLI said. */
  readonly events: readonly TranscriptEvent[];
  /** What the gateway counted; it has the last word. */
  readonly metered: readonly TranscriptEvent[];
  /** What earlier runs of the same session used: some CLIs report the session as a whole. */
  readonly before: { readonly tokens: Tokens; readonly costUsd: number };
  /** For reports that name none. */
  readonly model: string | null;
  readonly prices: PriceTable;
}

/** What this run used, and only this run. */
export function usageOf({ events, metered, before, model, prices }: UsageParams): Usage {
  const counted = metered.filter(isUsage);
  if (counted.length > 0) return price(counted, model, prices, "metered");
  const reported = events.filter(isUsage);
  const sessions = lastOfEachModel(reported.filter(({ scope }) => scope === "session"));
  const deltas = reported.filter(({ scope }) => scope === "delta");
  // One or the other: a CLI that tells both says the same thing twice.
  if (deltas.length > 0 || sessions.length === 0) return price(deltas, model, prices, "reported");
  const whole = price(sessions, model, prices, "reported");
  return {
    tokens: subtract(whole.tokens, before.tokens),
    costUsd: whole.costUsd === null ? null : Math.max(0, whole.costUsd - before.costUsd),
    basis: whole.basis,
  };
}

/** Adds up; where a report lacks its cost, it is computed, and where that is not possible, the whole is unknown. */
function price(
  reports: readonly UsageEvent[],
  model: string | null,
  prices: PriceTable,
  basis: "reported" | "metered",
): Usage {
  const tokens = reports.reduce((sum, report) => add(sum, report.tokens), NO_TOKENS);
  if (reports.length === 0) return NO_USAGE;
  if (reports.every(({ costUsd }) => costUsd !== null))
    return { tokens, costUsd: reports.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0), basis };
  const costs = reports.map((report) => {
    const known = priceOf(report.model ?? model, prices);
    return known === null ? report.costUsd : costOf(report.tokens, known);
  });
  // A sum that lacks a part would be taken for the whole.
  if (costs.includes(null)) return { ...NO_USAGE, tokens };
  return { tokens, costUsd: costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0), basis: "computed" };
}

function isUsage(event: TranscriptEvent): event is UsageEvent {
  return event.type === "usage";
}

function lastOfEachModel(reports: readonly UsageEvent[]): readonly UsageEvent[] {
  return [...new Map(reports.map((report) => [report.model, report])).values()];
}

export function add(a: Tokens, b: Tokens): Tokens {
  return combine(a, b, (x, y) => x + y);
}

function subtract(a: Tokens, b: Tokens): Tokens {
  return combine(a, b, (x, y) => Math.max(0, x - y));
}

function combine(a: Tokens, b: Tokens, of: (x: number, y: number) => number): Tokens {
  return {
    input: of(a.input, b.input),
    output: of(a.output, b.output),
    cacheRead: of(a.cacheRead, b.cacheRead),
    cacheWrite: of(a.cacheWrite, b.cacheWrite),
  };
}
