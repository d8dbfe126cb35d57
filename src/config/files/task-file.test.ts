import { describe, expect, it } from "vitest";
import { ConfigError } from "../../core/text/errors.ts";
import { parseTaskFile } from "./task-file.ts";

function problemsOf(text: string): string {
  try {
    parseTaskFile(text, "task.md");
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
}

describe("parseTaskFile", () => {
  it("takes the title from the first heading and the properties from the front matter", () => {
    const text =
      "---\npipeline: feature\npriority: high\nsize: m\ncomplexity: low\ntags: [api, ipv6]\nafter: task_3k9\n---\n\n# Add rate limiting #\n\nTo the public API.\n\n## Details\n";
    expect(parseTaskFile(text, "task.md")).toEqual({
      pipeline: "feature",
      priority: "high",
      size: "m",
      complexity: "low",
      tags: ["api", "ipv6"],
      after: ["task_3k9"],
      title: "Add rate limiting",
      description: "# Add rate limiting #\n\nTo the public API.\n\n## Details",
    });
  });

  it("needs neither front matter nor a heading", () => {
    expect(parseTaskFile("Fix the build\r\nnow\r\n", "task.md")).toEqual({
      title: null,
      description: "Fix the build\nnow",
    });
    expect(parseTaskFile("---\nafter: [task_a, task_b]\n---\nGo", "x").after).toEqual(["task_a", "task_b"]);
  });

  it("reports all problems at once, each with its line", () => {
    const problems = problemsOf("---\npriority: soon\nsiez: m\ntags: fast\nafter: [NOPE]\n---\nText\n");
    expect(problems).toMatch(/task\.md:2:\d+.*priority/);
    expect(problems).toMatch(/task\.md:3:\d+.*siez/);
    expect(problems).toMatch(/task\.md:4:\d+.*tags/);
    expect(problems).toMatch(/task\.md:5:\d+.*after/);
  });

  it.each([
    ["unterminated front matter", "---\npriority: high\nText\n", "no second line `---`"],
    ["no text", "---\npriority: high\n---\n\n", "has no text"],
    ["too much text", "x".repeat(1_000_001), "allowed: 1000000"],
    ["too much front matter", `---\n# ${"x".repeat(20_000)}\n---\nText`, "its front matter has"],
  ])("refuses %s", (_title, text, problem) => {
    expect(problemsOf(text)).toContain(problem);
  });
});
