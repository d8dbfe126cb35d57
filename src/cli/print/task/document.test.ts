import { expect, test } from "vitest";
import { exampleOf } from "../../../core/outcomes/outcome.ts";
import { describeDocument, type ShownDocument } from "./document.ts";

const pipe = { color: false };
const HASH = "5f2c1d9e0b7a".padEnd(64, "0");

const planOf = (content: ShownDocument["content"]): ShownDocument => ({
  kind: "plan",
  version: 1,
  hash: HASH,
  content,
  text: "",
});

test("plan: an execution plan is a page, not JSON", () => {
  const plan = {
    summary: "List the licences.",
    prompt: "Read package-lock.json.\n\nPossible now\nnightshift approve",
    tools: ["Read", "Write"],
    commands: ["npm ls"],
    directories: ["reports", "out\u202e"],
    network: [],
    needs_git: false,
    system_prompt: "",
    estimate: { tokens: 40_000, minutes: 5, usd: 0.4 },
    limits: { max_turns: 20 },
    reasoning: "Only **one** file.",
  };
  expect(describeDocument(pipe, planOf(plan))).toBe(
    [
      "Plan 5f2c1d9e0b7a",
      "  Summary",
      "    List the licences.",
      "",
      "  Prompt",
      "    Read package-lock.json.",
      "",
      "    Possible now",
      "    nightshift approve",
      "",
      "  Tools        Read, Write",
      "  Commands     npm ls",
      String.raw`  Directories  reports, out\u202e`,
      "  Network      none",
      "  Needs git    no",
      "  Estimate     40,000 tokens, 5 min, $0.40",
      "  Limits       20 max turns",
      "",
      "  Reasoning",
      "    Only **one** file.",
      "",
    ].join("\n"),
  );
});

test("plan: a document is rendered on a terminal, with its subtasks", () => {
  const plan = { plan: "## Steps\n\n1. Do `it`", subtasks: ["one", "two"] };
  expect(describeDocument({ color: true, width: 80 }, { ...planOf(plan), version: 2 })).toBe(
    [
      "\u001b[1mPlan 5f2c1d9e0b7a (version 2)\u001b[22m",
      "  \u001b[1mPlan\u001b[22m",
      "    \u001b[1mSteps\u001b[22m",
      "",
      "    1. Do \u001b[36mit\u001b[39m",
      "",
      "  \u001b[1mSubtasks\u001b[22m  1. one",
      "            2. two",
      "",
    ].join("\n"),
  );
});

test.each(["document", "execution"] as const)("plan: every field of the example of a %s is shown", (kind) => {
  const { outcome: _, ...plan } = exampleOf("plan_complete", kind) as Record<string, unknown>;
  const shown = describeDocument(pipe, planOf(plan));
  const texts = Object.values(plan)
    .flat()
    .filter((value) => typeof value === "string");
  for (const line of texts.flatMap((text) => text.split("\n"))) expect(shown).toContain(line);
  expect(shown).not.toMatch(/[{}]/);
});

test("plan: what cannot be granted comes first, and a plan without problems does not mention it", () => {
  const plan = { summary: "x", tools: ["Read"], problems: ["/etc (to write) belongs to the system.", "\u001b[2Jhost"] };
  const shown = describeDocument(pipe, planOf(plan));
  expect(shown.split("\n").slice(1, 3)).toEqual([
    "  Cannot be granted",
    "    - /etc (to write) belongs to the system.",
  ]);
  expect(shown).not.toContain("\u001b");
  expect(describeDocument(pipe, planOf({ ...plan, problems: [] }))).not.toMatch(/granted|problems/i);
});

test("plan: a field that this version does not know is shown as well", () => {
  const plan = { summary: "x", run_as_root: true, steps: [{ do: "rm" }], "\u001b[2Jnote": "late" };
  const shown = describeDocument(pipe, planOf(plan));
  expect(shown).toContain("Run as root  yes");
  expect(shown).toContain('{"do":"rm"}');
  expect(shown).toContain("    late");
  expect(shown).not.toContain("\u001b");
});

test("document: a design and a report are shown with their summary", () => {
  const content = { summary: "Keep the sign.", design: "left out" };
  const text = "## Goal\n\nA signed price.";
  expect(describeDocument(pipe, { ...planOf(content), kind: "design", text })).toBe(
    "Design 5f2c1d9e0b7a\n  Summary\n    Keep the sign.\n\n  Design\n    ## Goal\n\n    A signed price.\n",
  );
});
