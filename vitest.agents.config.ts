import { defineConfig } from "vitest/config";

/** Tests with real agent CLIs, which `npm run test:agents` installs: they take their time, and memory. */
export default defineConfig({
  test: {
    include: ["test/agents/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});
