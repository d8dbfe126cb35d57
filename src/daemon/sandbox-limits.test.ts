import { expect, test } from "vitest";
import { sandboxLimits } from "./wire/wire-sandbox.ts";

const GB = 1024 ** 3;
const limitsOf = sandboxLimits({ memoryBytes: 8 * GB, cores: 4 });

test("commands get at most three quarters of the machine's memory", () => {
  const { memoryBytes, treeMemoryBytes, tmpBytes } = limitsOf(60_000);
  expect([memoryBytes, treeMemoryBytes, tmpBytes]).toEqual([6 * GB, 6 * GB, GB]);
});

test("the CPU time limit is the timeout multiplied by the number of cores, in whole seconds", () => {
  expect(limitsOf(60_000).cpuSeconds).toBe(240);
  expect(limitsOf(1_001).cpuSeconds).toBe(8);
});

test("this machine has at least one core", () => {
  expect(sandboxLimits()(1_000).cpuSeconds).toBeGreaterThanOrEqual(1);
});
