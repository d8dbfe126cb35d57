import { expect, test } from "vitest";
import { assessRisk, readingMinutes, type ChangeFacts } from "./risk.ts";

const SMALL: ChangeFacts = {
  files: [{ path: "src/a.ts", insertions: 4, deletions: 2 }],
  findings: [],
  checks: [{ name: "test", severity: "error", status: "passed" }],
  review: "approved",
  openCritical: 0,
};

test("risk: a small, checked and reviewed change is low", () => {
  expect(assessRisk(SMALL)).toEqual({ level: "low", reasons: [] });
  expect(assessRisk({ ...SMALL, review: "not_due" }).level).toBe("low");
});

test.for<[Partial<ChangeFacts>, string]>([
  [{ findings: ["dependency_file", "dependency_file"] }, "changes dependencies"],
  [{ findings: ["gates_changed"] }, "changes what is checked"],
  [{ findings: ["submodule"] }, "changes a submodule"],
  [{ findings: ["binary_file"] }, "contains a binary file"],
  [{ openCritical: 1 }, "1 critical comment is open"],
  [{ openCritical: 2 }, "2 critical comments are open"],
  [{ review: "missing" }, "was not reviewed"],
  [{ review: "changes_requested" }, "the review asks for changes"],
])("risk: high for %j", ([facts, reason]) => {
  expect(assessRisk({ ...SMALL, ...facts })).toEqual({ level: "high", reasons: [reason] });
});

test.for<[Partial<ChangeFacts>, string]>([
  [{ findings: ["weakened_test"] }, "warning: weakened test"],
  [{ files: [{ path: "a", insertions: 60, deletions: 41 }] }, "101 changed lines"],
  [{ files: Array.from({ length: 6 }, (_, n) => ({ path: `${n}`, insertions: 1, deletions: 0 })) }, "6 files"],
  [{ checks: [{ name: "test", severity: "error", status: "flaky" }] }, "test: flaky"],
  [{ checks: [{ name: "test", severity: "error", status: "could_not_run" }] }, "test: could not run"],
])("risk: medium for %j", ([facts, reason]) => {
  expect(assessRisk({ ...SMALL, ...facts })).toEqual({ level: "medium", reasons: [reason] });
});

test("risk: stays low up to the limits and for a check that only warns", () => {
  const files = Array.from({ length: 5 }, (_, n) => ({ path: `${n}`, insertions: 20, deletions: 0 }));
  const checks = [{ name: "lint", severity: "warning", status: "failed" }] as const;
  expect(assessRisk({ ...SMALL, files, checks }).level).toBe("low");
});

test("reading time: counts files and lines, rounded up, without lock files", () => {
  expect(readingMinutes(SMALL.files)).toBe(1);
  expect(readingMinutes([{ path: "a.ts", insertions: 200, deletions: 100 }])).toBe(11);
  expect(readingMinutes([{ path: "web/package-lock.json", insertions: 9000, deletions: 1 }])).toBe(0);
  expect(readingMinutes([{ path: "package.json", insertions: 1, deletions: 1 }])).toBe(1);
});
