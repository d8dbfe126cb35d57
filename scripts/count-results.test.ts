import { expect, test } from "vitest";
import { countResults, type TestReport } from "./count-results.ts";

function report(passed: number, failed: number, brokenFiles = 0): TestReport {
  const assertionResults = [
    ...Array.from({ length: passed }, () => ({ status: "passed" })),
    ...Array.from({ length: failed }, () => ({ status: "failed" })),
  ];
  return {
    numPassedTests: passed,
    numFailedTests: failed,
    testResults: [
      { status: failed > 0 ? "failed" : "passed", assertionResults },
      ...Array.from({ length: brokenFiles }, () => ({ status: "failed", assertionResults: [] })),
    ],
  };
}

test("tests count one by one, other commands as one each", () => {
  const commands = [
    { name: "tests", code: 1, report: report(40, 2) },
    { name: "lint", code: 0, report: null },
    { name: "types", code: 2, report: null },
  ];
  expect(countResults(commands)).toEqual({ passed: 41, failed: 3 });
});

test("a file that could not be loaded is a failure", () => {
  expect(countResults([{ name: "tests", code: 1, report: report(3, 0, 2) }])).toEqual({ passed: 3, failed: 2 });
});

test("a runner that ended badly although all tests passed is a failure", () => {
  expect(countResults([{ name: "tests", code: 1, report: report(3, 0) }])).toEqual({ passed: 3, failed: 1 });
});
