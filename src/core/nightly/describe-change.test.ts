import { describe, expect, it } from "vitest";
import type { Analysis } from "./candidates.ts";
import { describeNightChange, describeTaskChange, markUnchecked } from "./describe-change.ts";

const candidate = (rank: number, title: string) => ({
  rank,
  title,
  files: [`src/${rank}.ts`],
  description: "d",
  rationale: `because of ${rank}`,
});

const analysis: Analysis = {
  category: "docs",
  candidates: [candidate(2, "Say how to install"), candidate(1, "Name the exit codes")],
  selected: 2,
  slug: null,
  dropped: [{ rank: 3, title: "Upgrade everything", reason: "it touches package.json, a dependency file" }],
};

const description = {
  title: "Say how to install it",
  summary: "The README now says how.",
  reasoning: "Newcomers asked @alice.",
  changes: "- README.md: a section\n/merge",
  commit_message: "docs: say how to install\n\nCo-authored-by: x <x@y.example>",
};

describe("describeNightChange", () => {
  const text = describeNightChange({ category: "docs", analysis, description, trailer: "" });

  it("names the category in title and labels, in its plain form", () => {
    expect(text.title).toBe("[night-shift/docs] Say how to install it");
    expect(text.labels).toEqual(["night-shift", "docs"]);
  });

  it("has four sections, with every candidate and why it was not selected", () => {
    expect(text.body.match(/^## .*$/gm)).toEqual([
      "## Summary",
      "## Reasoning",
      "## Changes",
      "## Candidates considered",
    ]);
    expect(text.body).toContain("1. Name the exit codes (not selected): because of 1 `src/1.ts`");
    expect(text.body).toContain("2. Say how to install (**this change**): because of 2 `src/2.ts`");
    expect(text.body).toContain("- Upgrade everything (dropped): it touches package.json, a dependency file");
  });

  it("contains no forge commands and no marks in the commit message", () => {
    expect(text.body).not.toMatch(/^\/merge$/m);
    expect(text.body).not.toContain("@alice");
    expect(text.message).toBe("docs: say how to install");
  });

  it("escapes forge commands in file names and in the title", () => {
    const files = ["a`/merge`.ts", "../out.ts", "b @all <img src=x>.ts", "./src//c.ts", "d\n/merge\n#12"];
    const hostile = { ...analysis, candidates: [{ ...candidate(2, "Say how"), files }] };
    const titled = { ...description, title: "Say how [skip ci] (closes #12)" };
    const { body, title } = describeNightChange({
      category: "docs",
      analysis: hostile,
      description: titled,
      trailer: "",
    });
    expect(title).toBe("[night-shift/docs] Say how (see #12)");
    const line = body.split("\n").find((each) => each.startsWith("2. Say how")) ?? "";
    expect(line.split("`")).toHaveLength(9);
    expect(line).toContain("`src/c.ts`");
    expect(line).toContain("d /merge");
    expect(line).not.toMatch(/@all|<img|#12|out\.ts/);
  });

  it.each([
    "[night-shift/security] Fix a hole",
    "  [security][night-shift/security]  Fix a hole",
    "［night-shift/security］ Fix a hole",
    "Fix [Night Shift/security] a hole",
    "[\u001b[0mnight-shift/security] Fix a hole",
  ])("does not let the agent name another category: %j", (title) => {
    const written = { ...description, title, commit_message: `${title}\n\nIt was one.` };
    const told = describeNightChange({ category: "docs", analysis, description: written, trailer: "" });
    expect(told.title).toBe("[night-shift/docs] Fix a hole");
    expect(told.message).toBe("Fix a hole\n\nIt was one.");
  });

  it("does not let the agent add or hide sections", () => {
    const hostile = { ...description, summary: "Good.\n\n## Verified by\n\nA person\n\nChecks\n------\n\n```" };
    const { body } = describeNightChange({ category: "docs", analysis, description: hostile, trailer: "" });
    expect(body.match(/^## .*$/gm)).toHaveLength(4);
    expect(body).not.toMatch(/^```|^---/m);
  });

  it("ends the commit message with the configured trailer", () => {
    expect(describeNightChange({ category: "docs", analysis, description, trailer: "Night: yes" }).message).toBe(
      "docs: say how to install\n\nNight: yes",
    );
  });
});

describe("describeTaskChange", () => {
  it("contains the request, the summary and the checks", () => {
    const change = { title: "Greet", description: "Greet the world", summary: "greets", trailer: "" };
    const text = describeTaskChange({ ...change, checks: ["test: passed"] });
    expect(text).toMatchObject({ title: "Greet", message: "Greet\n\ngreets", labels: [] });
    expect(text.body).toBe("## Summary\n\ngreets\n\n## Request\n\nGreet the world\n\n## Checks\n\n- test: passed");
  });

  it("closes the issue that the engine names, and none that a text names", () => {
    const text = { title: "Fixes #7", description: "Closes #8", summary: "Resolves #9", checks: [], trailer: "" };
    const change = describeTaskChange({ ...text, issue: 12 });
    expect(change.body).toMatch(/## Issue\n\nCloses #12$/);
    expect(`${change.title}${change.message}${change.body}`.match(/(clos|fix|resolv)es #\d+/gi)).toEqual([
      "Closes #12",
    ]);
  });

  it("escapes forge commands in the commit message and in the title", () => {
    const summary = "Greets. Closes #12\n\nCo-authored-by: x <x@y.example>";
    const text = describeTaskChange({
      title: "Greet [skip ci]",
      description: "",
      summary,
      checks: [],
      trailer: "Night: yes",
    });
    expect(text.message).toBe("Greet\n\nGreets. see #12\n\nNight: yes");
    expect(text.title).toBe("Greet");
  });
});

it("change request: says at the top which checks were not accepted", () => {
  const text = describeTaskChange({ title: "T", description: "D", summary: "S", checks: [], trailer: "" });
  expect(markUnchecked(text, [])).toEqual(text);
  expect(markUnchecked(text, ["build", "test"]).body).toMatch(/^\*\*Not checked\.\*\* .*: build, test\n\n## Summary/);
});
