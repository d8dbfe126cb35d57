import { describe, expect, test } from "vitest";
import { countResults, mergeAgain } from "./count-results.ts";
import { failuresIn, type TestReport } from "./test-report.ts";

function report(passed: number, failed: number, brokenFiles = 0, name = "a.test.ts"): TestReport {
  const assertionResults = [
    ...Array.from({ length: passed }, (_, n) => ({ fullName: `good ${n}`, status: "passed" })),
    ...Array.from({ length: failed }, (_, n) => ({
      fullName: `bad ${n}`,
      status: "failed",
      failureMessages: [`no ${n}`],
    })),
  ];
  return {
    testResults: [
      { name, status: failed > 0 ? "failed" : "passed", assertionResults },
      ...Array.from({ length: brokenFiles }, () => ({
        name: "b.test.ts",
        status: "failed",
        message: "no such module",
        assertionResults: [],
      })),
    ],
  };
}

test("count-results: tests count individually, other commands as one each", () => {
  const commands = [
    { name: "tests", code: 1, report: report(40, 2) },
    { name: "lint", code: 0, report: null },
    { name: "types", code: 2, report: null },
  ];
  expect(countResults(commands)).toEqual({ passed: 41, failed: 3 });
});

test("count-results: a file that could not be loaded is a failure", () => {
  expect(countResults([{ name: "tests", code: 1, report: report(3, 0, 2) }])).toEqual({ passed: 3, failed: 2 });
});

test("count-results: a runner that failed although all tests passed is a failure", () => {
  expect(countResults([{ name: "tests", code: 1, report: report(3, 0) }])).toEqual({ passed: 3, failed: 1 });
});

test("count-results: each failure is listed with its reason", () => {
  expect(failuresIn(report(3, 1, 1))).toEqual([
    { file: "a.test.ts", test: "bad 0", why: "no 0" },
    { file: "b.test.ts", test: "", why: "no such module" },
  ]);
});

describe("count-results: repeated files", () => {
  const first = report(10, 1).testResults;
  const other = report(5, 0, 0, "c.test.ts").testResults;
  const tests = { name: "tests", code: 1, report: { testResults: [...first, ...other] } };

  test("count with their second result, next to those that were not repeated", () => {
    const again = { name: "tests-again", code: 0, report: report(11, 0) };
    expect(countResults(mergeAgain([tests, again]))).toEqual({ passed: 16, failed: 0 });
  });

  test("fail if they fail again, or if the second run did not finish", () => {
    const failed = { name: "tests-again", code: 1, report: report(10, 1) };
    expect(countResults(mergeAgain([tests, failed]))).toEqual({ passed: 15, failed: 1 });
    const broken = { name: "tests-again", code: 1, report: null };
    expect(countResults(mergeAgain([tests, broken]))).toEqual({ passed: 15, failed: 1 });
    const unwell = { name: "tests-again", code: 1, report: report(11, 0) };
    expect(countResults(mergeAgain([tests, unwell]))).toEqual({ passed: 16, failed: 1 });
  });
});
