import { expect, test } from "vitest";
import type { TaskJson } from "../../../http/client/client.ts";
import { describeReviews, describeVerdict } from "./reviews.ts";
import { describeWaiting } from "./waiting.ts";

const plain = { color: false };
const AT = "2026-11-16T02:00:00.000Z";
type ReviewJson = TaskJson["reviews"][number];

const requested: ReviewJson = {
  verdict: "changes_requested",
  commit: "a".repeat(40),
  is_current: true,
  summary: "Not yet.",
  comments: [
    {
      file: "b.ts",
      line: 9,
      severity: "critical",
      comment: "Wrong\u001b[2J sign.\nReally.",
      answer: "Kept\nthe minus.",
    },
    { file: null, line: null, severity: "suggestion", comment: "Split it.", answer: null },
    { file: "b.ts", line: 2, severity: "nit", comment: "Name it.", answer: null },
  ],
  run: "run_1",
  by: null,
  at: AT,
};

function task(reviews: readonly ReviewJson[]): TaskJson {
  // Only these fields are printed.
  const base = { id: "task_1", waiting_for: { kind: "merge", since: AT }, runs: [], checks: [] };
  return { ...base, reviews: [...reviews] } as unknown as TaskJson;
}

test("reviews: comments are grouped by file, in the order of their lines, with what was done about them", () => {
  expect(describeReviews(plain, task([requested]))).toBe(
    [
      "  changes requested at aaaaaaaaaaaa",
      "    Not yet.",
      "      suggestion: Split it.",
      "    b.ts",
      "      line 2, nit: Name it.",
      "      line 9, critical: Wrong sign.",
      "        Really.",
      "        → Kept",
      "          the minus.",
      "",
    ].join("\n"),
  );
  expect(describeReviews(plain, task([]))).toBe("");
});

test("merge gate: says whether the commit to merge was approved", () => {
  const approved: ReviewJson = { ...requested, verdict: "approved", comments: [] };
  expect(describeVerdict(task([requested, approved]))).toBe("The review approved this commit.");
  expect(describeVerdict(task([{ ...approved, is_current: false }]))).toContain("The newest commit was not reviewed.");
  expect(describeVerdict(task([]))).toBe("No review has approved this change.");
  expect(describeWaiting(plain, task([requested]))).toContain("The review did not approve this commit: Not yet.");
});

test("merge gate: a daemon of an older version, which sends no reviews, is understood", () => {
  const { reviews: _none, ...old } = task([]);
  expect(describeWaiting(plain, old as TaskJson)).toContain("Waiting for the change to be merged.");
});
