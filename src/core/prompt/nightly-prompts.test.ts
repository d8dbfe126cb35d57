import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../pipeline/pipeline-policy.ts";
import { CATEGORIES } from "../nightly/category.ts";
import { buildContext, type PromptData, type PromptInput } from "./prompt-context.ts";
import { splitFrontMatter, TEMPLATE_VARIABLES } from "./prompt.ts";
import type { Role } from "../task/role.ts";
import { makeTask } from "../../testing/builders.ts";

const BUILTIN = new URL("../../builtin/", import.meta.url);
const ROLES = ["analyze", "implement", "verify", "describe"] as const satisfies readonly Role[];

describe("nightly prompts", () => {
  it.each(ROLES)("%s matches its fixture", async (role) => {
    await expect(render(role)).toMatchFileSnapshot(`fixtures/${role}.md`);
  });

  it.each(ROLES)("%s has all its sections and no unfilled variables", (role) => {
    const prompt = render(role);
    expect(prompt).not.toContain("{{");
    for (const part of PARTS) expect(prompt).toContain(`\n## ${part}\n`);
    for (const first of ["linter", ".editorconfig", "CONTRIBUTING.md", "commits|messages|neighbours"])
      expect(conventions(prompt)).toMatch(new RegExp(first));
    expect(prompt.match(/^- do not /gm)?.length).toBeGreaterThanOrEqual(5);
    expect(prompt).toMatch(/```json\n\{\n {2}"outcome": /);
    expect(prompt.indexOf("# Rules that override everything else")).toBe(0);
  });

  it("contain the limits of the settings for analyze, implement and verify", () => {
    for (const role of ["analyze", "implement", "verify"] as const) {
      const prompt = render(role, { maxDiffLines: 42, avoidRecentCommits: 7, change: defaultPolicy(true).change });
      expect(prompt).toMatch(/at most 42 changed lines/i);
      expect(prompt).toContain("last 7 commits");
    }
  });

  it("contain no limits for a change that a person requested", () => {
    const prompt = buildContext({ ...input("implement"), values: { ...input("implement").values, category: null } });
    expect(prompt).not.toContain("## Limits of the change");
    expect(prompt).not.toContain("## What the category means");
  });

  it("use only variables that docs/improve.md explains", () => {
    const guide = readFileSync(new URL("../../../docs/improve.md", import.meta.url), "utf8");
    const explained = guide.slice(guide.indexOf("### Variables"));
    expect(TEMPLATE_VARIABLES.filter((name) => !explained.includes(`\`${name}\``))).toEqual([]);
  });

  it.each(CATEGORIES)("contain the guidance of %s", (category) => {
    const guidance = read(`categories/${category}.md`).trim();
    for (const role of ROLES)
      expect(
        buildContext({
          ...input(role),
          values: { ...input(role).values, category: { name: category, label: category, guidance } },
        }),
      ).toContain(guidance);
  });
});

const PARTS = [
  "What you have",
  "How to work",
  "What the category means",
  "Do not",
  "Commands you may run",
  "Result",
  "How to report",
];

/** Their first instruction. */
function conventions(prompt: string): string {
  return /^1\. \*\*Conventions first\.\*\* .*$/m.exec(prompt)?.[0] ?? "";
}

function render(role: Role, limits?: PromptInput["values"]["limits"]): string {
  const given = input(role);
  return buildContext({ ...given, values: { ...given.values, ...(limits && { limits }) } });
}

const ANALYSIS = JSON.stringify(
  { title: "Test parsePrice with negative amounts", files: ["src/price.test.ts"], description: "Add -1 and -0.01." },
  null,
  2,
);
const CHANGE: PromptData = {
  analysis: ANALYSIS,
  diff: "diff --git a/src/price.test.ts b/src/price.test.ts\n+  expect(parsePrice('-1')).toBe(-1);",
  checks: "diff-policy: passed\n\ntest: passed",
};
const GIVEN: Readonly<Record<(typeof ROLES)[number], PromptData>> = {
  analyze: {
    rules: "- no tests of private functions",
    avoid: "Files of the last 10 commits:\n- src/cart.ts",
    proposals: 'Proposed before:\n- "Test the cart" was closed.',
    tried: "Tried tonight already:\n- docs: every public function is described",
  },
  implement: { analysis: ANALYSIS },
  verify: CHANGE,
  describe: CHANGE,
};

function input(role: Role): PromptInput {
  return {
    preamble: read("prompts/preamble.md"),
    template: splitFrontMatter(read(`prompts/${role}.md`)).body,
    append: "",
    maxTokens: 100_000,
    instructions: "",
    role,
    task: makeTask({
      id: "task_1",
      pipeline: "improve",
      title: "Nightly improvement",
      description: "Find, make and verify one small improvement.",
      plan: null,
      context: [],
      conversation: [],
      trigger: role === "implement" ? { kind: "errors", text: "src/price.test.ts:3: no expectation", run: null } : null,
    }),
    artifacts: [],
    values: {
      project: "shop",
      defaultBranch: "main",
      repoUrl: null,
      reviewer: null,
      commands: ["git", "npm test"],
      date: "2026-03-02",
      category: { name: "tests", label: "tests (fallback from docs)", guidance: read("categories/tests.md").trim() },
      limits: { maxDiffLines: 100, avoidRecentCommits: 10, change: defaultPolicy(true).change },
      provesFix: false,
      baseCommit: "0123abc",
      headCommit: null,
    },
    data: GIVEN[ROLES.find((each) => each === role) ?? "implement"],
    variables: {},
    plan: "document",
    outcomeFile: "/out/outcome.json",
    hasTool: true,
    isResumed: false,
    nonce: "k3v9x2q7",
  };
}

function read(path: string): string {
  return readFileSync(new URL(path, BUILTIN), "utf8");
}
