import { describe, expect, it } from "vitest";
import { makeTask } from "../../testing/builders.ts";
import { describeRelatedTask } from "./related-task.ts";

const task = {
  ...makeTask(),
  id: "task_a",
  title: "Add rate limiting",
  description: "To the public API.",
  status: "succeeded",
  reason: "merged",
  branch: "agent/rate",
  baseCommit: "b".repeat(40),
  headCommit: "c".repeat(40),
} as const;

describe("describeRelatedTask", () => {
  it("names the task, its result, documents, summaries and change", () => {
    const context = [
      { kind: "implementation_summary", source: "agent", summary: "limits to 10", data: {}, run: "run_a", at: 0 },
    ] as const;
    const text = describeRelatedTask({
      task: { ...task, context },
      documents: [{ kind: "plan", text: "# The plan" }],
      url: "https://forge.example/1",
      patch: "diff --git a b",
    });
    for (const part of [
      "task_a: Add rate limiting (succeeded: merged)",
      "branch agent/rate",
      task.headCommit,
      "https://forge.example/1",
      "To the public API.",
      "Its plan:\n# The plan",
      "limits to 10",
      "Its change:\ndiff --git a b",
    ])
      expect(text).toContain(part);
  });

  it("is bounded, and keeps the end of the summaries", () => {
    const summary = `${"x".repeat(50_000)}newest`;
    const context = [{ kind: "fix_summary", source: "agent", summary, data: {}, run: null, at: 0 }] as const;
    const huge = "y".repeat(1_000_000);
    const text = describeRelatedTask({
      task: { ...task, description: huge, context },
      documents: [{ kind: "plan", text: huge }],
      url: null,
      patch: huge,
    });
    expect(text.length).toBeLessThan(62_000);
    expect(text).toContain("newest");
  });
});
