import { defineConfig } from "vitest/config";

/** Whole nights that go wrong in every way we know: together they take as long as all the other tests. */
export const NIGHTS = [
  "test/e2e/improve-*.test.ts",
  "test/e2e/bad-input.test.ts",
  "test/e2e/budget.test.ts",
  "test/e2e/storms.test.ts",
];

export default defineConfig({
  test: { include: NIGHTS, pool: "forks", testTimeout: 120_000, hookTimeout: 60_000 },
});
