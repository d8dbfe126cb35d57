import { expect, it } from "vitest";
import type { ContextEntry } from "./context-entry.ts";
import { describeComments, describePriorReview } from "./review.ts";

const comments = [
  { severity: "nit", comment: "Name it." },
  { severity: "critical", file: "a.ts", line: 3, comment: "Wrong sign." },
] as const;

function entry(kind: ContextEntry["kind"], summary: string, data = {}): ContextEntry {
  return { kind, source: "agent", summary, data, run: "run_1", at: 0 };
}

it("review comments: the most severe come first, with their place", () => {
  expect(describeComments(comments)).toBe("- [critical] a.ts:3: Wrong sign.\n- [nit] Name it.");
});

it("prior review: contains the newest review and what was done about it", () => {
  const context = [
    entry("review_feedback", "old"),
    entry("fix_summary", "older fix"),
    entry("review_feedback", "Not yet.", { comments }),
    entry("fix_summary", "Changed the sign."),
  ];
  const text = describePriorReview(context);
  expect(text).toContain("Not yet.");
  expect(text).toContain("a.ts:3: Wrong sign.");
  expect(text).toContain("What the author did about it:\nChanged the sign.");
  expect(text).not.toContain("old");
  expect(describePriorReview([entry("plan_summary", "p")])).toBe("");
});
