import { defineConfig } from "vitest/config";
import { PATIENCE } from "./vitest.nights.config.ts";

/** Tests with real agent CLIs, which `npm run test:agents` installs. They need much time and memory. */
export default defineConfig({
  test: {
    include: ["test/agents/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 60_000,
    expect: PATIENCE,
  },
});
