import { describe, expect, it } from "vitest";
import { comparePastEstimates, describePastEstimates } from "./past-estimates.ts";

const run = (factor: number, usd: number | null = null) => ({
  planned: { tokens: 1000, minutes: 10, usd: 1 },
  actual: { tokens: 1000 * factor, minutes: 10, usd },
});

describe("past estimates", () => {
  it("need three runs", () => {
    expect(comparePastEstimates([run(2), run(2)])).toBeNull();
    expect(comparePastEstimates([run(2), run(2), run(2)])).toEqual({ runs: 3, tokens: 2, minutes: 1, usd: null });
  });

  it("are compared by the median, so that one run that went wrong does not count", () => {
    expect(comparePastEstimates([run(1.4), run(1.2), run(900)])).toMatchObject({ tokens: 1.4 });
    expect(comparePastEstimates([run(1), run(2), run(3), run(900)])).toMatchObject({ tokens: 2.5 });
  });

  it("leave out what is unknown or zero on either side", () => {
    const unknown = { planned: { tokens: 0, minutes: null, usd: 0 }, actual: { tokens: 5, minutes: 5, usd: 5 } };
    expect(comparePastEstimates([run(2, 3), run(2, 3), run(2, 3), unknown])).toEqual({
      runs: 4,
      tokens: 2,
      minutes: 1,
      usd: 3,
    });
    expect(comparePastEstimates([unknown, unknown, unknown])).toBeNull();
  });

  it("are described in one sentence", () => {
    expect(describePastEstimates({ runs: 5, tokens: 1.4, minutes: 1.05, usd: 0.5 })).toBe(
      "In the last 5 runs of this project, estimates were usually: time about right, tokens 1.4 × too low, cost 2 × too high.",
    );
  });
});
