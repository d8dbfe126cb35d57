import { expect, it } from "vitest";
import { findRelatedTests } from "./related-tests.ts";

it.each([
  ["npm", "vitest", "npm exec -- vitest related --run --passWithNoTests {{files}}"],
  ["pnpm", "vitest run --coverage", "pnpm exec vitest related --run --passWithNoTests {{files}}"],
  ["yarn", "vitest run --config unit.ts", "yarn run vitest related --run --passWithNoTests --config unit.ts {{files}}"],
  ["bun", "vitest --run", "bun run vitest related --run --passWithNoTests {{files}}"],
  ["npm", "jest", "npm exec -- jest --passWithNoTests --findRelatedTests {{files}}"],
  [
    "npm",
    "jest --config=j.json --watch",
    "npm exec -- jest --config=j.json --passWithNoTests --findRelatedTests {{files}}",
  ],
])("related tests: with %s and %j the command is %j", (manager, script, expected) => {
  expect(findRelatedTests(manager, script)).toBe(expected);
});

it.each(["node --test", "TZ=UTC vitest run", "vitest run && eslint .", "vitest run 'a b'", "toString", ""])(
  "related tests: %j does not tell how to find them",
  (script) => {
    expect(findRelatedTests("npm", script)).toBeNull();
  },
);
