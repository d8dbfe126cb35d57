import { expect, it } from "vitest";
import { renderDocument } from "./render-document.ts";

it("documents: a plan is its Markdown with the subtasks and files", () => {
  const text = renderDocument("plan", {
    plan: "## Goal\nKeep the sign.",
    subtasks: ["Parse", "Test"],
    files: ["a.ts"],
  });
  expect(text).toBe("## Goal\nKeep the sign.\n\n## Subtasks\n\n1. Parse\n2. Test\n\n## Files\n\n- a.ts");
});

it("documents: an execution plan names everything that is granted", () => {
  const content = {
    prompt: "Compare them.",
    tools: ["Read"],
    directories: ["reports"],
    needs_git: true,
    estimate: { tokens: 4000, minutes: 5 },
    reasoning: "One file.",
  };
  const text = renderDocument("plan", content);
  for (const part of ["Compare them.", "- Read", "- reports", "Needed.", "5 minutes, 4000 tokens", "One file."])
    expect(text).toContain(part);
});

it("documents: a review has its verdict, its commit and its comments by severity", () => {
  const comments = [
    { severity: "nit", file: "a.ts", line: 3, comment: "Name it.\nPlease." },
    { severity: "critical", comment: "Broken." },
    { severity: "suggestion", file: "b`.ts", comment: "Split it." },
  ];
  const content = { verdict: "changes_requested", summary: "Not yet.", commit: "abc", comments };
  expect(renderDocument("review", content)).toBe(
    "**Changes requested** at commit abc.\n\n1. **critical**: Broken.\n2. **suggestion** `b'.ts`: Split it.\n3. **nit** `a.ts:3`: Name it.\n   Please.",
  );
  expect(renderDocument("review", { verdict: "approved", commit: "abc", comments: [] })).toBe(
    "**No objections** at commit abc.\n\nNo comments.",
  );
});

it("documents: a report lists the possible fixes with their arguments", () => {
  const options = [
    { id: "a", title: "Keep it", description: "Small.", pros: ["quick"], cons: "none", recommended: true },
  ];
  expect(renderDocument("report", { report: "## Cause\nx", options, subtasks: [] })).toBe(
    "## Cause\nx\n\n## Possible fixes\n\n### a: Keep it (recommended)\n\nSmall.\n\nFor: quick\n\nAgainst: none",
  );
});
