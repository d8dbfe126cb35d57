import { defineConfig } from "vitest/config";

/** Whole-program tests of failing nights. Together they take as long as all other tests. */
export const NIGHTS = ["test/nights/**/*.test.ts", "test/chaos/power-cut/*.test.ts", "test/chaos/damage/*.test.ts"];

/** A condition that tests wait for can take long on a busy machine. */
export const PATIENCE = { poll: { timeout: 20_000 } };

export default defineConfig({
  test: {
    include: NIGHTS,
    pool: "forks",
    maxWorkers: "100%",
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: PATIENCE,
  },
});
