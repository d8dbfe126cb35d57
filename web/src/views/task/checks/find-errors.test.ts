import { expect, it } from "vitest";
import { findErrorLines, findFirstError } from "./find-errors.ts";

it("finds the failed tests of a known program, and the error of the first one", () => {
  const lines = [
    " ✓ test/a.test.ts (4 tests) 12ms",
    " FAIL  test/b.test.ts > gives up after 5 attempts",
    "AssertionError: expected 5 attempts, got 6",
    "      Tests  1 failed | 20 passed (21)",
  ];
  expect(findErrorLines(lines)).toEqual([1]);
  expect(findFirstError(lines.join("\n"))).toBe("AssertionError: expected 5 attempts, got 6");
});

it("finds typical words in the output of other programs, but not results without errors", () => {
  expect(findErrorLines(["compiling", "0 errors, 2 warnings", "error: no such file", "done"])).toEqual([2]);
  expect(findErrorLines(["TypeError: x", "[nightshift] ===== a run that failed with exit code 1."])).toEqual([0]);
  expect(findFirstError("compiling\nfatal: no such file\nstopped")).toBe("fatal: no such file");
});

it("takes the last line if nothing looks like an error, and nothing of an empty output", () => {
  expect(findFirstError("two warnings\nexit\n\n")).toBe("exit");
  expect(findFirstError("\n")).toBeNull();
});
