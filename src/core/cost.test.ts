import { describe, expect, it } from "vitest";
import { NO_USAGE, sumUsage } from "./cost.ts";
import type { TranscriptEvent } from "./transcript.ts";

const TOKENS = { input: 10, output: 5, cacheRead: 2, cacheWrite: 1 };

function usage(costUsd: number | null): TranscriptEvent {
  return { type: "usage", tokens: TOKENS, costUsd, model: null };
}

describe("sumUsage", () => {
  it("adds tokens and costs and skips every other event", () => {
    const sum = sumUsage([usage(0.5), { type: "text", text: "hi" }, usage(0.25)]);
    expect(sum).toEqual({
      tokens: { input: 20, output: 10, cacheRead: 4, cacheWrite: 2 },
      costUsd: 0.75,
      basis: "reported",
    });
  });

  it("tells free from unknown", () => {
    expect(sumUsage([usage(0)])).toMatchObject({ costUsd: 0, basis: "reported" });
    expect(sumUsage([])).toEqual(NO_USAGE);
    expect(NO_USAGE).toMatchObject({ costUsd: null, basis: "unknown" });
  });

  it("gives no cost where a part of it is unknown, but all tokens", () => {
    expect(sumUsage([usage(0.5), usage(null)])).toEqual({
      tokens: { input: 20, output: 10, cacheRead: 4, cacheWrite: 2 },
      costUsd: null,
      basis: "unknown",
    });
  });
});
