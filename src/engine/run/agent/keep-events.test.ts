import { describe, expect, it } from "vitest";
import { usageOf } from "../../../core/money/cost.ts";
import { explainFailure, hasLostSession } from "../../../core/outcomes/explain-failure.ts";
import { NO_TOKENS } from "../../../core/task/run.ts";
import type { TranscriptEvent, UsageEvent } from "../../../core/task/documents/transcript.ts";
import { createKeptEvents } from "./read-output.ts";

function keep(events: readonly TranscriptEvent[]): readonly TranscriptEvent[] {
  const kept = createKeptEvents();
  events.forEach(kept.push);
  return kept.all();
}

function usage(model: string | null, costUsd: number | null, scope: UsageEvent["scope"] = "delta"): UsageEvent {
  return { type: "usage", tokens: { input: 10, output: 3, cacheRead: 2, cacheWrite: 1 }, costUsd, model, scope };
}

const PRICES = { "a-*": { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 } };

function cost(events: readonly TranscriptEvent[]) {
  return usageOf({ events, metered: [], before: { tokens: NO_TOKENS, costUsd: 0 }, model: null, prices: PRICES });
}

describe("kept events of a run", () => {
  it.each([
    ["deltas with a cost", [usage("a-1", 0.5), usage("b", 0.25), usage("a-1", 0.125)]],
    ["deltas without a cost", [usage("a-1", null), usage("a-2", null), usage("a-1", null)]],
    ["deltas with and without a cost", [usage("a-1", null), usage("b", 0.5), usage("b", 0.25), usage("a-1", 0.5)]],
    ["a model without a known price", [usage("b", null), usage("a-1", 0.5), usage("b", 0.5)]],
    ["session totals", [usage("a-1", 1, "session"), usage("b", 4, "session"), usage("a-1", 2, "session")]],
  ])("result in the same cost as all events: %s", (_title, events) => {
    const [all, kept] = [cost(events), cost(keep(events))];
    expect(kept.tokens).toEqual(all.tokens);
    expect(kept.basis).toBe(all.basis);
    if (all.costUsd === null) expect(kept.costUsd).toBeNull();
    else expect(kept.costUsd).toBeCloseTo(all.costUsd, 12);
  });

  it("are the last event of each kind, in order", () => {
    const events: readonly TranscriptEvent[] = [
      { type: "session", id: "first" },
      { type: "error", message: "gone", failure: "session_unknown" },
      { type: "error", message: "slow down", failure: "rate_limit" },
      { type: "limit", kind: "usage", resetsAt: 1 },
      { type: "text", text: "hello" },
      { type: "error", message: "too much", failure: "usage_limit" },
      { type: "limit", kind: "usage", resetsAt: 2 },
      { type: "session", id: "second" },
      { type: "error", message: "slow down again", failure: "rate_limit" },
      { type: "error", message: "a mere message", failure: null },
    ];
    const kept = keep(events);
    expect(explainFailure(kept)).toEqual(explainFailure(events));
    expect(explainFailure(kept)?.message).toBe("slow down again");
    expect(hasLostSession(kept)).toBe(true);
    expect(kept.filter(({ type }) => type === "session")).toEqual([{ type: "session", id: "second" }]);
    expect(kept.map(({ type }) => type)).not.toContain("text");
  });

  it("stay bounded, whatever the number of events and model names", () => {
    const kept = createKeptEvents();
    for (let index = 0; index < 100_000; index += 1) kept.push(usage(`model-${index}`, null));
    for (let index = 0; index < 100_000; index += 1) kept.push({ type: "error", message: `${index}`, failure: null });
    expect(kept.all().length).toBeLessThan(110);
    expect(cost(kept.all()).tokens.input).toBe(1_000_000);
  });
});
