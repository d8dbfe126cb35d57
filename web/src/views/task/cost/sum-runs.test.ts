import { expect, it } from "vitest";
import type { RunJson } from "../../../../../src/http/client/client.ts";
import { sumByRole, sumRuns } from "./sum-runs.ts";

const run = (given: Partial<RunJson>): RunJson =>
  ({
    step: "agent",
    role: "implement",
    cost_usd: 1,
    finished_at: "2026-11-16T20:50:00.000Z",
    duration_ms: 1000,
    tokens: { input: 10, output: 1, cache_read: 5, cache_write: 2 },
    ...given,
  }) as RunJson; // only what is used

it("unknown costs are counted beside the sum, those of open runs not", () => {
  const sums = sumRuns([
    run({}),
    run({ cost_usd: null }),
    run({ cost_usd: null, finished_at: null }),
    run({ cost_usd: 0.5 }),
  ]);
  expect(sums).toEqual({
    runs: 4,
    usd: 1.5,
    unknown: 1,
    tokens: { input: 40, output: 4, cache_read: 20, cache_write: 8 },
    workedMs: 4000,
  });
  expect(sumRuns([run({ cost_usd: null })]).usd).toBeNull();
});

it("costs by role leave out what cost nothing or is unknown", () => {
  const runs = [run({}), run({ role: "review", cost_usd: 2 }), run({}), run({ role: "plan", cost_usd: null })];
  expect(sumByRole(runs)).toEqual([
    { role: "implement", usd: 2 },
    { role: "review", usd: 2 },
  ]);
});

it("of many roles the smallest are added up, so that the parts still sum up to the whole", () => {
  const runs = ["a", "b", "c", "d", "e"].map((role, index) => run({ role: role as "plan", cost_usd: 5 - index })); // any name will do
  expect(sumByRole(runs)).toEqual([
    { role: "a", usd: 5 },
    { role: "b", usd: 4 },
    { role: "c", usd: 3 },
    { role: "other roles", usd: 3 },
  ]);
});
