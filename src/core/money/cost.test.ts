import { describe, expect, it } from "vitest";
import { NO_USAGE, usageOf, type UsageParams } from "./cost.ts";
import { costOf, priceOf, type PriceTable } from "./prices.ts";
import { NO_TOKENS } from "../task/run.ts";
import type { TranscriptEvent, UsageEvent } from "../task/documents/transcript.ts";

const TOKENS = { input: 10, output: 5, cacheRead: 2, cacheWrite: 1 };
const TWICE = { input: 20, output: 10, cacheRead: 4, cacheWrite: 2 };
const PRICES: PriceTable = {
  "big-*": { input: 10, output: 50, cacheRead: 1, cacheWrite: 12 },
  "big-one": { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6 },
};

function usage(costUsd: number | null, changes: Partial<UsageEvent> = {}): UsageEvent {
  return { type: "usage", tokens: TOKENS, costUsd, model: null, scope: "delta", ...changes };
}

function sum(events: readonly TranscriptEvent[], changes: Partial<UsageParams> = {}) {
  const before = { tokens: NO_TOKENS, costUsd: 0 };
  return usageOf({ events, metered: [], before, model: null, prices: PRICES, ...changes });
}

describe("usageOf", () => {
  it("adds tokens and costs and skips other events", () => {
    const events = [usage(0.5), { type: "text", text: "hi" } as const, usage(0.25)];
    expect(sum(events)).toEqual({ tokens: TWICE, costUsd: 0.75, basis: "reported" });
  });

  it("distinguishes free from unknown", () => {
    expect(sum([usage(0)])).toMatchObject({ costUsd: 0, basis: "reported" });
    expect(sum([])).toEqual(NO_USAGE);
    expect(NO_USAGE).toMatchObject({ costUsd: null, basis: "unknown" });
  });

  it("computes a missing cost if the price is known", () => {
    const cost = costOf(TOKENS, { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6 });
    expect(sum([usage(null, { model: "big-one" })])).toEqual({ tokens: TOKENS, costUsd: cost, basis: "computed" });
    expect(sum([usage(null)], { model: "big-one" })).toMatchObject({ costUsd: cost });
  });

  it("gives no cost if a part of it is unknown, but all tokens", () => {
    expect(sum([usage(0.5), usage(null, { model: "who" })])).toEqual({
      tokens: TWICE,
      costUsd: null,
      basis: "unknown",
    });
  });

  it("subtracts earlier runs from what a CLI reports for its session", () => {
    const session = usage(0.5, { tokens: TWICE, scope: "session" });
    const before = { tokens: TOKENS, costUsd: 0.2 };
    expect(sum([usage(0.3, { scope: "session" }), session], { before })).toEqual({
      tokens: TOKENS,
      costUsd: 0.3,
      basis: "reported",
    });
  });

  it("is never negative", () => {
    const before = { tokens: TWICE, costUsd: 9 };
    expect(sum([usage(0.5, { scope: "session" })], { before })).toMatchObject({ tokens: NO_TOKENS, costUsd: 0 });
  });

  it("prefers the gateway's numbers to the CLI's", () => {
    const metered = [usage(0.1), usage(0.1)];
    expect(sum([usage(0.01)], { metered })).toEqual({ tokens: TWICE, costUsd: 0.2, basis: "metered" });
  });
});

describe("priceOf", () => {
  it("uses the exact name, then the longest prefix, then none", () => {
    expect(priceOf("big-one", PRICES)?.input).toBe(5);
    expect(priceOf("big-two-20260101", PRICES)?.input).toBe(10);
    expect(priceOf("small", PRICES)).toBeNull();
    expect(priceOf(null, PRICES)).toBeNull();
    expect(priceOf("constructor", PRICES)).toBeNull();
  });
});
