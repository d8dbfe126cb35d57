import { describe, expect, it } from "vitest";
import { judgeCheck, readCheckStatus, type RawCheckStatus } from "./judge-check.ts";

const ended = (status: RawCheckStatus, exitCode: number | null = 1, tail = "same") => ({ status, exitCode, tail });

describe("judgeCheck", () => {
  it.each([
    ["passes on the change", ended("passed", 0), ended("failed"), "passed"],
    ["passes when repeated", ended("flaky", 0), ended("could_not_run"), "flaky"],
    ["fails on the change only", ended("failed"), ended("passed", 0), "failed"],
    ["fails in the same way on the base", ended("failed"), ended("failed"), "inconclusive"],
    ["fails with other output on the base", ended("failed", 1, "new"), ended("failed", 1, "old"), "failed"],
    ["fails with another exit code on the base", ended("failed", 2), ended("failed", 1), "failed"],
    ["could not run on the base, but fails on the change", ended("failed"), ended("could_not_run", 127), "failed"],
    ["could run on neither", ended("could_not_run", 127), ended("could_not_run", null), "could_not_run"],
    ["passed on the base and cannot run on the change", ended("could_not_run", 127), ended("passed", 0), "failed"],
    ["failed on the base and times out on the change", ended("could_not_run", null), ended("failed"), "failed"],
  ] as const)("a check that %s", (_name, onChange, onBase, status) => {
    expect(judgeCheck(onChange, onBase)).toBe(status);
  });
});

const red = (tests: readonly string[], ran: number, hasErrors = false) => ({
  ...ended("failed", 1, `${ran} tests`),
  counts: { tests: ran, assertions: null },
  failures: { tests, hasErrors },
});

describe("a check with named failures", () => {
  it.each([
    ["adds a passing test to red tests", red(["a"], 6), "inconclusive"],
    ["repairs one of the red tests", red(["a"], 5), "inconclusive"],
    ["breaks another test", red(["a", "c"], 6), "failed"],
    ["runs fewer tests", red(["a"], 4), "failed"],
    ["does not compile", red(["a"], 6, true), "failed"],
    ["reports no names", red([], 6), "failed"],
  ])("of a change that %s is compared by the names", (_, onChange, status) => {
    expect(judgeCheck(onChange, red(["a", "b"], 5))).toBe(status);
  });
});

describe("readCheckStatus", () => {
  it.each([
    ["red_baseline", "inconclusive"],
    ["timeout", "failed"],
    ["could_not_run", "could_not_run"],
  ])("reads the stored status %s as %s", (stored, status) => {
    expect(readCheckStatus(stored)).toBe(status);
  });
});
