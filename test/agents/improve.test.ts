import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { git } from "../../src/testing/temp-repo.ts";
import { NIGHTLY_DRAFT, TOKEN } from "../support/nightly.ts";
import { readAllFiles } from "./agent-night.ts";
import { openClaudeNightly, type ClaudeNightly, type RunScript } from "./claude-nightly.ts";
import { REAL_AGENTS } from "./real-agents.ts";

const { read, shell, create } = REAL_AGENTS.claude;
const grep = (pattern: string) => ({ name: "Grep", input: { pattern, output_mode: "content" } });
const edit = (path: string, from: string, to: string) => ({
  name: "Edit",
  input: { file_path: path, old_string: from, new_string: to },
});

const BROKEN = "`sh greet.sh` greets the wrold.";
const FILES = {
  "docs/usage.md": `# Usage\n\n${BROKEN}\n`,
  "greet.sh": "echo hello, world\n",
  "greet.test.sh": "sh greet.sh | grep -q hello\n",
};
const CHECK = 'checks: { test: { command: "sh greet.test.sh" } }\n';

// First, because claude rejects unknown tools before it runs any other.
const ANALYZE: RunScript = {
  role: "analyze",
  tools: [
    create("made.txt", "not its part"),
    grep("wrold"),
    read("docs/usage.md"),
    shell("git log --format=%s"),
    shell("sh greet.sh"),
  ],
  report: {
    outcome: "improvement_found",
    category: "docs",
    selected: 1,
    candidates: [
      { rank: 1, title: "Mend the usage", files: ["docs/"], description: "Say world.", rationale: "It says wrold." },
      { rank: 2, title: "Explain greet.sh", files: ["greet.sh"], description: "Say it.", rationale: "Nobody did." },
    ],
  },
};
const IMPLEMENT: RunScript = {
  role: "implement",
  tools: [read("docs/usage.md"), edit("docs/usage.md", "wrold", "world"), shell("sh greet.test.sh && echo fine")],
  report: { outcome: "implemented", summary: "The usage says world." },
};
const VERIFY: RunScript = {
  role: "verify",
  tools: [shell("git diff"), edit("docs/usage.md", "world", "wrold"), read("docs/usage.md")],
  report: { outcome: "verified", summary: "It does what was selected." },
};
const DESCRIBE: RunScript = {
  role: "describe",
  tools: [shell("git log --format=%s"), shell("git push origin main")],
  report: {
    outcome: "described",
    title: "Mend a word of the usage",
    summary: "The usage says world.",
    reasoning: "It said wrold.",
    changes: "- docs/usage.md: one word",
    commit_message: "docs: mend a word of the usage\n\nIt said wrold.",
  },
};

function open(parts: readonly RunScript[]): Promise<ClaudeNightly> {
  return openClaudeNightly(parts, { files: FILES, settings: CHECK });
}

async function runNight(night: ClaudeNightly) {
  const task = await night.settled((await night.submit(NIGHTLY_DRAFT)).id);
  const runs = await night.agentRuns(task.id);
  expect(task, runs.map(({ error }) => error ?? "").join("\n")).toMatchObject({ state: "published" });
  return { task, runs };
}

/** The line of the night in the run log. */
async function readLog({ home }: ClaudeNightly): Promise<Readonly<Record<string, unknown>>> {
  const file = join(home, "logs", "nights.jsonl");
  return vi.waitFor(async () => JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>, 30_000);
}

const guidance = (category: string) =>
  readFile(new URL(`../../src/builtin/categories/${category}.md`, import.meta.url), "utf8");

describe("claude: a night", () => {
  test("ends in one change request, and each role has its own tools and prompt", async () => {
    const night = await open([ANALYZE, IMPLEMENT, VERIFY, DESCRIBE]);
    const { task, runs } = await runNight(night);
    const seen = night.runInputs();
    const [analyze, implement, verify, describer] = seen;

    expect(seen.map(({ tools }) => tools)).toEqual([
      ["Bash", "Glob", "Grep", "Read"],
      ["Bash", "Edit", "Glob", "Grep", "Read", "Write"],
      ["Glob", "Grep", "Read"],
      ["Bash", "Glob", "Grep", "Read"],
    ]);
    const [opus, sonnet] = ["claude-opus-4-6", "claude-sonnet-4-6"];
    expect(seen.map(({ model }) => model)).toEqual([opus, opus, sonnet, sonnet]);
    expect(seen.map(({ results }) => results.map(({ isError }) => isError))).toEqual([
      [true, false, false, false, true],
      [false, false, false],
      [true, true, false],
      [false, true],
    ]);
    expect(analyze?.results.map(({ text }) => text)).toEqual([
      expect.stringContaining("No such tool available: Write"),
      `docs/usage.md:3:${BROKEN}`,
      expect.stringContaining(BROKEN),
      "three\ntwo\none\nfirst",
      expect.stringContaining("Only these shell commands are allowed: `git log`, `git show`, `git diff`."),
    ]);
    expect(implement?.results[2]?.text).toMatch(/^fine/);
    expect(verify?.results[0]?.text).toContain("No such tool available: Bash");
    expect(describer?.results[0]?.text).toContain("three\ntwo\none\nfirst");
    expect(describer?.results[1]?.text).toContain("Only these shell commands are allowed: `git log`.");

    const prompts = seen.map(({ prompt }) => prompt);
    for (const { role, prompt } of seen) {
      expect(prompt).toContain(`# Your role: ${role}\n`);
      expect(prompt).not.toMatch(/\{\{|\}\}|undefined|\[object/);
      expect(prompt).toContain("call the tool `report_outcome` exactly once");
    }
    expect(analyze?.prompt).toContain("the category **docs** in the project shop");
    expect(analyze?.prompt).toContain("- recent-one.txt\n");
    const docs = (await guidance("docs")).trim();
    expect(prompts.map((prompt) => prompt.includes(docs))).toEqual([true, true, true, true]);
    // The author gets the selected candidate; verifier and describer get all candidates, the change and the check results.
    expect(prompts.map((prompt) => prompt.includes('"title": "Mend the usage"'))).toEqual([false, true, true, true]);
    expect(prompts.map((prompt) => prompt.includes("Explain greet.sh"))).toEqual([false, false, true, true]);
    const diff = `-${BROKEN}\n+${BROKEN.replace("wrold", "world")}\n`;
    expect(prompts.map((prompt) => prompt.includes(diff))).toEqual([false, false, true, true]);
    expect(prompts.map((prompt) => prompt.includes("test: passed"))).toEqual([false, false, true, true]);
    // A verifier must not see what the author says about its own work.
    expect(verify?.prompt).not.toContain("The usage says world.");

    expect(new Set(runs.map(({ sessionId }) => sessionId)).size).toBe(4);
    expect(runs.map(({ costUsd }) => costUsd)).toEqual([0.018_75, 0.018_75, 0.011_25, 0.011_25].map(about));
    expect(runs.every(({ costBasis, sandbox }) => costBasis === "metered" && sandbox === "enforce")).toBe(true);
    const { url } = night.forge;
    expect(await readLog(night)).toMatchObject({
      outcome: "published",
      category: "docs",
      url: `${url}/team/shop/-/merge_requests/1`,
      cost_usd: about(0.06),
    });

    expect(night.forge.changeRequests).toMatchObject([
      {
        branch: "night-shift/mend-the-usage",
        target: "main",
        title: "[night-shift/docs] Mend a word of the usage",
        labels: ["night-shift", "docs"],
        reviewers: ["alice"],
        body: expect.stringMatching(/The usage says world\.[^]*It said wrold\.[^]*Explain greet\.sh \(not selected\)/),
      },
    ]);
    const log = await git(night.repo.remote, "log", "--format=%B", "main..night-shift/mend-the-usage");
    expect(log.trim()).toBe("docs: mend a word of the usage\n\nIt said wrold.");
    expect(await night.published(task, "docs/usage.md")).toBe(FILES["docs/usage.md"].trim().replace("wrold", "world"));

    const received = JSON.stringify(night.model.requests.map(({ body }) => body));
    const kept = readAllFiles(night.home);
    for (const secret of [TOKEN, night.key]) {
      expect(received).not.toContain(secret);
      expect(kept).not.toContain(secret);
    }
    // claude's default prompt would ask for a signature.
    expect(received).not.toMatch(/Co-Authored-By|Generated with/);
  });

  test("without a result in its category, falls back to the next one and passes on the reason", async () => {
    const nothing = { outcome: "no_improvement", reason: "The documents are fine.", files_scanned: 3 };
    const found = { ...ANALYZE.report, category: "tests" };
    const parts = [{ ...ANALYZE, report: nothing }, { ...ANALYZE, report: found }, IMPLEMENT, VERIFY, DESCRIBE];
    const night = await open(parts);
    const { task, runs } = await runNight(night);
    expect(task.items?.tried).toMatchObject([{ item: "docs", reason: "The documents are fine.", filesScanned: 3 }]);
    expect(await readLog(night)).toMatchObject({ outcome: "published", category: "tests (fallback from docs)" });
    expect(night.forge.changeRequests).toMatchObject([
      { title: "[night-shift/tests] Mend a word of the usage", labels: ["night-shift", "tests"] },
    ]);
    const [first, second, ...others] = night.runInputs();
    const [docs, tests] = await Promise.all(["docs", "tests"].map(async (name) => (await guidance(name)).trim()));
    expect(first?.prompt).toContain(docs);
    expect(second?.prompt).toContain("the category **tests (fallback from docs)** in the project shop");
    expect(second?.prompt).toContain("- docs: The documents are fine.");
    expect(second?.prompt).not.toContain(docs);
    for (const { prompt } of [...(second === undefined ? [] : [second]), ...others]) expect(prompt).toContain(tests);
    expect(new Set(runs.map(({ sessionId }) => sessionId)).size).toBe(5);
  });

  test("after a failed verification, tries once more from the base commit with the reason", async () => {
    const why = "docs/usage.md:3 is right now, but docs/extra.md is not part of it.";
    const parts: readonly RunScript[] = [
      ANALYZE,
      { ...IMPLEMENT, tools: [...IMPLEMENT.tools, create("docs/extra.md", "left behind"), shell("git add -A")] },
      { ...VERIFY, report: { outcome: "verify_failed", summary: "More than was selected.", error_details: why } },
      { ...IMPLEMENT, tools: [shell("git log --format=%s -1 && git status --short && ls docs"), ...IMPLEMENT.tools] },
      VERIFY,
      DESCRIBE,
    ];
    const night = await open(parts);
    const { task, runs } = await runNight(night);
    expect(runs.map(({ outcome }) => outcome)).toEqual([
      "improvement_found",
      "implemented",
      "verify_failed",
      "implemented",
      "verified",
      "described",
    ]);
    const [, implement, verify, again, verifyAgain] = night.runInputs();
    expect(implement?.prompt).not.toContain(why);
    expect(verify?.prompt).toContain("+left behind");
    expect(again?.prompt).toContain(why);
    // It does not see its own first attempt, neither in the prompt nor in the workspace.
    expect(again?.results[0]?.text).toMatch(/^three\nusage\.md(\n\n|$)/);
    expect(again?.results[1]?.text).toContain(BROKEN);
    // The second verifier knows the analysis and the current change, but not the first verdict.
    expect(verifyAgain?.prompt).toContain('"title": "Mend the usage"');
    expect(verifyAgain?.prompt).toContain(`-${BROKEN}\n`);
    expect(verifyAgain?.prompt).not.toMatch(/left behind|More than was selected/);
    expect(new Set(runs.map(({ sessionId }) => sessionId)).size).toBe(6);
    const files = await git(night.repo.remote, "diff", "--name-only", "main", task.branch ?? "");
    expect(files.trim()).toBe("docs/usage.md");
    expect(await readLog(night)).toMatchObject({ category: "docs", cost_usd: about(0.09) });
  });
});

function about(usd: number): unknown {
  return expect.closeTo(usd, 6);
}
