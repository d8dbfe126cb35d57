import { configDefaults, defineConfig } from "vitest/config";
import { NIGHTS } from "./vitest.nights.config.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "scripts/**/*.test.ts"],
    // They need real agent CLIs (`npm run test:agents`), or much time (`npm run test:nights`).
    exclude: [...configDefaults.exclude, "test/agents/**", ...NIGHTS],
    pool: "forks",
    // Most of them wait for processes: a core that is left free for others is left idle.
    maxWorkers: "100%",
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
