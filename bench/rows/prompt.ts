import { readFileSync } from "node:fs";
import { defaultPolicy } from "../../src/core/pipeline/pipeline-policy.ts";
import { buildContext, type PromptInput } from "../../src/core/prompt/prompt-context.ts";
import { splitFrontMatter } from "../../src/core/prompt/prompt.ts";
import { CONTEXT_KINDS } from "../../src/core/task/documents/context-entry.ts";
import { makeTask } from "../../src/testing/builders.ts";
import { atMost, type Measured } from "../report.ts";
import { median } from "../statistics.ts";

const PROMPTS = new URL("../../src/builtin/prompts/", import.meta.url);
const ENTRIES = 100;
const ROUNDS = 50;

/** Assembles the prompt of an implementer with 100 entries of earlier runs, once as it is and once shortened to its budget. */
export async function measurePrompt(): Promise<readonly Measured[]> {
  return [
    { what: "all of it", maxTokens: 1_000_000 },
    { what: "shortened to a tenth", maxTokens: 5_000 },
  ].map(({ what, maxTokens }) => {
    const input = makeInput(maxTokens);
    const value = median(Array.from({ length: ROUNDS }, () => time(input)));
    return {
      row: "q",
      what: `prompt with ${ENTRIES} entries of earlier runs, ${what}`,
      unit: "ms",
      value,
      baseline: null,
      target: atMost(value, 50, "50 ms"),
    };
  });
}

function time(input: PromptInput): number {
  const start = performance.now();
  buildContext(input);
  return performance.now() - start;
}

function makeInput(maxTokens: number): PromptInput {
  const context = Array.from({ length: ENTRIES }, (_, at) => ({
    kind: CONTEXT_KINDS[at % CONTEXT_KINDS.length] ?? "plan_summary",
    source: "agent" as const,
    summary: `${at} ${"What was done and why. ".repeat(85)}`,
    data: {},
    run: `run_${at}`,
    at,
  }));
  return {
    preamble: readFileSync(new URL("preamble.md", PROMPTS), "utf8"),
    template: splitFrontMatter(readFileSync(new URL("implement.md", PROMPTS), "utf8")).body,
    append: "",
    maxTokens,
    instructions: "",
    role: "implement",
    task: makeTask({ context, plan: { plan: "## Steps\n1. Do it.\n".repeat(200), subtasks: [] } }),
    artifacts: [],
    values: {
      project: "shop",
      defaultBranch: "main",
      repoUrl: null,
      reviewer: null,
      commands: ["git"],
      date: "2026-03-02",
      category: null,
      provesFix: false,
      limits: { maxDiffLines: 100, avoidRecentCommits: 10, change: defaultPolicy(false).change },
      baseCommit: "0123abc",
      headCommit: null,
    },
    data: { diff: "+ line\n".repeat(2_000) },
    variables: {},
    plan: "document",
    outcomeFile: "/out/outcome.json",
    hasTool: true,
    isResumed: false,
    nonce: "k3v9x2q7",
  };
}
