import { expect, it } from "vitest";
import type { ContextEntry } from "./context-entry.ts";
import { describeComments, describePriorReviews, reviewsOf, verdictFor } from "./review.ts";

const comments = [
  { severity: "nit", comment: "Name it." },
  { severity: "critical", file: "a.ts", line: 3, comment: "Wrong sign." },
] as const;

function entry(kind: ContextEntry["kind"], summary: string, data = {}): ContextEntry {
  return { kind, source: "agent", summary, data, run: "run_1", at: 0 };
}

const context = [
  entry("review_feedback", "Too long.", { commit: "c1" }),
  entry("fix_summary", "Cut it."),
  entry("review_feedback", "Not yet.", { comments, commit: "c2" }),
  entry("fix_summary", "Changed the sign.", { answers: [{ comment: 1, answer: "Uses a minus now." }] }),
];

it("review comments: the most severe come first, numbered and with their place", () => {
  expect(describeComments(comments)).toBe("1. [critical] a.ts:3: Wrong sign.\n2. [nit] Name it.");
});

it("prior reviews: each review comes with what was done about each comment, the newest first", () => {
  const text = describePriorReviews({ context });
  expect(text).toContain("Review 2 of 2 of commit c2: changes requested\n\nNot yet.");
  expect(text).toContain("1. [critical] a.ts:3: Wrong sign.\n   What the author did: Uses a minus now.");
  expect(text).toContain("What the author did about it:\nChanged the sign.");
  expect(text.indexOf("Not yet.")).toBeLessThan(text.indexOf("Too long."));
  expect(text.indexOf("Cut it.")).toBeGreaterThan(text.indexOf("Too long."));
  expect(describePriorReviews({ context: [entry("plan_summary", "p")] })).toBe("");
});

it("a verdict counts for the commit that was reviewed and for no other", () => {
  const task = { context: [...context, entry("review_approved", "Fine.", { commit: "c3" })] };
  expect(verdictFor(task, "c3")?.verdict).toBe("approved");
  expect(verdictFor(task, "c2")?.verdict).toBe("changes_requested");
  expect(verdictFor(task, "c4")).toBeNull();
  expect(verdictFor(task, null)).toBeNull();
  expect(verdictFor({ context: [entry("review_approved", "of an earlier version")] }, "c1")).toBeNull();
});

it("of several verdicts about one commit, the newest counts", () => {
  const task = {
    context: [entry("review_approved", "a", { commit: "c" }), entry("review_feedback", "b", { commit: "c" })],
  };
  expect(verdictFor(task, "c")?.verdict).toBe("changes_requested");
});

it("an answer without a comment of that number is ignored", () => {
  const answers = [{ comment: 9, answer: "x" }];
  const [review] = reviewsOf({
    context: [entry("review_feedback", "r", { comments }), entry("fix_summary", "f", { answers })],
  });
  expect(review?.comments.map(({ answer }) => answer)).toEqual([null, null]);
});
