import { expect, test } from "vitest";
import { sumRunCosts } from "./sum-run-costs.ts";

const run = (costUsd: number | null, finishedAt: number | null = 1) => ({ costUsd, finishedAt });

test.for([
  ["no runs cost nothing", [], 0, 0],
  ["an unknown cost is counted and does not hide the known ones", [run(0.5), run(null), run(0.25)], 0.75, 1],
  ["if all costs are unknown, so is their sum", [run(null), run(null)], null, 2],
  ["an open run is not unknown yet", [run(0.5), run(null, null)], 0.5, 0],
] as const)("sum of run costs: %s", ([, runs, usd, unknownRuns]) => {
  expect(sumRunCosts(runs)).toEqual({ usd, unknownRuns });
});
