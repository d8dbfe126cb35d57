import { defineConfig } from "vitest/config";
import { PATIENCE } from "./vitest.nights.config.ts";

/** Tests of the web page in a real browser, against real daemons. */
export default defineConfig({
  test: {
    include: ["test/page/**/*.test.ts"],
    globalSetup: "test/page/support/build-page.ts",
    pool: "forks",
    // Each file has its own daemon, agents and browser.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: PATIENCE,
  },
});
