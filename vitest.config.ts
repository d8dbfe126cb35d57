import { configDefaults, defineConfig } from "vitest/config";
import { NIGHTS, PATIENCE } from "./vitest.nights.config.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "scripts/**/*.test.ts", "web/src/**/*.test.ts"],
    // These need real agent CLIs (`npm run test:agents`), a browser (`npm run test:page`) or much time (`npm run test:nights`).
    exclude: [...configDefaults.exclude, "test/agents/**", "test/page/**", ...NIGHTS],
    pool: "forks",
    // Most tests wait for processes, so using all cores leaves few of them idle.
    maxWorkers: "100%",
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: PATIENCE,
  },
});
