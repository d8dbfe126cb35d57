import { expect, test } from "vitest";
import { countResults } from "./count-results.ts";
import { failuresIn, type TestReport } from "./test-report.ts";

function report(passed: number, failed: number, brokenFiles = 0): TestReport {
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
      { name: "a.test.ts", status: failed > 0 ? "failed" : "passed", assertionResults },
      ...Array.from({ length: brokenFiles }, () => ({
        name: "b.test.ts",
        status: "failed",
        message: "no such module",
        assertionResults: [],
      })),
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

test("each failure is named, with its reason", () => {
  expect(failuresIn(report(3, 1, 1))).toEqual([
    { file: "a.test.ts", test: "bad 0", why: "no 0" },
    { file: "b.test.ts", test: "", why: "no such module" },
  ]);
});
