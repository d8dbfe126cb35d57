import { defineConfig } from "vitest/config";

/** Whole-program tests of failing nights. Together they take as long as all other tests. */
export const NIGHTS = [
  "test/chaos/power-cut/*.test.ts",
  "test/chaos/damage/*.test.ts",
  "test/e2e/improve-*.test.ts",
  "test/e2e/schedules*.test.ts",
  "test/e2e/bad-input.test.ts",
  "test/e2e/budget.test.ts",
  "test/e2e/checkout-untouched.test.ts",
  "test/e2e/costs.test.ts",
  "test/e2e/fallback.test.ts",
  "test/e2e/feature*.test.ts",
  "test/e2e/forge-loop.test.ts",
  "test/e2e/misbehaving.test.ts",
  "test/e2e/merge.test.ts",
  "test/e2e/night-commands.test.ts",
  "test/e2e/notifications.test.ts",
  "test/e2e/task-control.test.ts",
  "test/e2e/task-order.test.ts",
  "test/e2e/task-origin.test.ts",
  "test/e2e/publish-policy.test.ts",
  "test/e2e/reuse-setup.test.ts",
  "test/e2e/rules.test.ts",
  "test/e2e/setup.test.ts",
  "test/e2e/store-failures.test.ts",
  "test/e2e/verdicts.test.ts",
  "test/e2e/sandbox-denials.test.ts",
];

export default defineConfig({
  test: { include: NIGHTS, pool: "forks", maxWorkers: "100%", testTimeout: 120_000, hookTimeout: 60_000 },
});
