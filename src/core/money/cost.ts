import { costOf, priceOf, type PriceTable } from "./prices.ts";
import { type CostBasis, NO_TOKENS, type Tokens } from "../task/run.ts";
import type { TranscriptEvent, UsageEvent } from "../task/documents/transcript.ts";

/** Tokens and cost of a run. */
export interface Usage {
  readonly tokens: Tokens;
  readonly costUsd: number | null;
  readonly basis: CostBasis;
}

/** Unknown usage, which is not the same as free. */
export const NO_USAGE: Usage = { tokens: NO_TOKENS, costUsd: null, basis: "unknown" };

export interface UsageParams {
  /** Events reported by the CLI. */
  readonly events: readonly TranscriptEvent[];
  /** Usage counted by the gateway. It takes precedence. */
  readonly metered: readonly TranscriptEvent[];
  /** Usage of earlier runs of the same session, because some CLIs report totals of the session. */
  readonly before: { readonly tokens: Tokens; readonly costUsd: number };
  /** Model for reports that name none. */
  readonly model: string | null;
  readonly prices: PriceTable;
}

/** Returns the usage of this run alone. */
export function usageOf({ events, metered, before, model, prices }: UsageParams): Usage {
  const counted = metered.filter(isUsage);
  if (counted.length > 0) return price(counted, model, prices, "metered");
  const reported = events.filter(isUsage);
  const sessions = lastOfEachModel(reported.filter(({ scope }) => scope === "session"));
  const deltas = reported.filter(({ scope }) => scope === "delta");
  // A CLI that reports both reports the same usage twice.
  if (deltas.length > 0 || sessions.length === 0) return price(deltas, model, prices, "reported");
  const whole = price(sessions, model, prices, "reported");
  return {
    tokens: subtract(whole.tokens, before.tokens),
    costUsd: whole.costUsd === null ? null : Math.max(0, whole.costUsd - before.costUsd),
    basis: whole.basis,
  };
}

/** Sums up. A missing cost is computed; if that is impossible, the total is unknown. */
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
  // A partial sum would be mistaken for the total.
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
