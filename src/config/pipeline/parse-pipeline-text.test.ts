import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { possibleOutcomes } from "../../core/pipeline/edges.ts";
import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import { base, BASE, problems } from "../../testing/base-pipeline.ts";
import { parsePipelineText } from "./parse-pipeline-text.ts";

function parsed(text: string): Pipeline {
  const result = parsePipelineText({ name: "base", text, file: "base.yaml" });
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.pipeline;
}

function manyStates(count: number): string {
  const states = Array.from({ length: count }, (_, index) => `  s${index}: { end: failed }\n`);
  return `name: base\nstart: s1\nstates:\n${states.join("")}`;
}

/** Nearly the maximum size: 197 states, each with 22 outcomes that lead to 15 others. */
function manyEdges(): string {
  const names = Array.from({ length: 197 }, (_, index) => `a${index.toString(36)}`);
  const outcomes = possibleOutcomes({ kind: "agent", role: "implement" });
  const states = names.map((name, index) => {
    const on = outcomes.map((outcome, row) => {
      const targets = Array.from({ length: 15 }, (_, column) => names[(index + row * 15 + column) % names.length]);
      return `${outcome}: [${targets.join(",")}]`;
    });
    return ` ${name}: {agent: implement, on: {${on.join(", ")}}}`;
  });
  return `name: base\nstart: a0\nstates:\n${states.join("\n")}`.slice(0, 262_144 - 200).replace(/\n[^\n]*$/, "\n");
}

describe("parsePipelineText: limits", () => {
  it("rejects more than 200 states", () => {
    expect(problems(manyStates(201))).toEqual(["3:1 states: A pipeline has 1 to 200 states, this one has 201."]);
    expect(problems(manyStates(200)).join()).not.toContain("this one has");
  });

  it("rejects more than 2000 edges", () => {
    expect(problems(manyEdges()).join()).toMatch(
      /A pipeline has at most 2000 edges between its states, this one has \d+\./,
    );
  });

  it("rejects more than 256 kB, counted in bytes", () => {
    expect(problems(`${BASE}#${"é".repeat(131_072)}`)).toEqual([
      `1:1 : A pipeline has at most 262144 bytes, this one has ${BASE.length + 1 + 262_144}.`,
    ]);
    expect(problems(`${BASE}#${"x".repeat(262_144 - BASE.length - 1)}`)).toEqual([]);
  });

  it.each<[string, string]>([
    ["brackets", "[".repeat(262_144)],
    ["keys", Array.from({ length: 25_000 }, (_, index) => `k${index}: 1`).join("\n")],
    [
      "aliases",
      `a: &a [x, x]\n${Array.from({ length: 20 }, (_, index) => `b${index}: &b${index} [${index === 0 ? "*a, *a" : `*b${index - 1}, *b${index - 1}`}]`).join("\n")}`,
    ],
    ["edges", manyEdges()],
    ["a circle of aliases", base({ 8: "      no_changes: &x { to: failed, limit: { a: 1 }, else: *x }" })],
  ])("is fast if a file is full of %s", (_what, text) => {
    // If it is slow or never returns, the test's own timeout fails it.
    const found = problems(text);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThanOrEqual(201);
  });

  it("escapes control characters of the file", () => {
    const found = problems(base({ 5: '    agent: "\\e[31m\\u202Ex\\u009b"' }));
    expect(found[0]).toContain("\\u001b[31m\\u{202e}x\\u{9b}");
    expect(found.join()).not.toMatch(/[\u001b\u009b\u202e]/);
  });
});

describe("parsePipelineText: valid pipeline", () => {
  it("is parsed into the values that `advance` uses", () => {
    const text = base({
      5: "    agent: implement\n    workspace: fresh\n    with: { agent: codex, model: m, timeout: 90s, max_turns: 7, max_budget_usd: 0.5, tools: [Read], commands: [] }",
      19: "    on: { approve: [{ to: done, when: git }, { to: failed, when: not git }], reject: cancelled, revise: { to: implementing, role: request_changes } }",
    });
    const pipeline = parsed(text);
    const plain = { to: null, ask: null, limit: null, else: null, when: null, role: null, next: null };
    expect(pipeline).toMatchObject({ name: "base", start: "implementing", each: null });
    expect(pipeline.hash).toBe(createHash("sha256").update(text).digest("hex"));
    expect(pipeline.states["implementing"]).toEqual({
      name: "implementing",
      step: { kind: "agent", role: "implement" },
      when: null,
      else: null,
      on: { implemented: [{ ...plain, to: "checking" }], no_changes: [{ ...plain, to: "failed" }] },
      workspace: "fresh",
      agent: {
        agent: "codex",
        model: "m",
        timeoutMs: 90_000,
        maxTurns: 7,
        maxBudgetUsd: 0.5,
        tools: ["Read"],
        commands: [],
      },
    });
    expect(pipeline.states["checking"]?.on.checks_failed).toEqual([
      { ...plain, to: "implementing", limit: { name: "repair", max: 3 }, else: "failed" },
    ]);
    expect(pipeline.states["looking"]).toMatchObject({
      when: { fact: "forge", holds: true },
      else: "done",
      step: { kind: "wait", for: "approval" },
    });
    expect(pipeline.states["looking"]?.on).toEqual({
      approve: [
        { ...plain, to: "done", when: { fact: "git", holds: true } },
        { ...plain, to: "failed", when: { fact: "git", holds: false } },
      ],
      reject: [{ ...plain, to: "cancelled" }],
      revise: [{ ...plain, to: "implementing", role: "request_changes" }],
    });
  });

  it("may continue with the next item when a limit is used up", () => {
    const pipeline = parsed(
      base({
        2: "start: implementing\neach: item",
        8: "      no_changes: { to: implementing, limit: { again: 2 }, else: { next: item, to: implementing, else: failed } }",
      }),
    );
    expect(pipeline.states["implementing"]?.on.no_changes?.[0]?.else).toMatchObject({
      next: "item",
      to: "implementing",
      else: "failed",
    });
  });

  it("may loop if a person chooses among targets without a condition", () => {
    expect(problems(base({ 8: "      no_changes: [implementing, failed]" }))).toEqual([]);
  });

  it("has no states under inherited property names", () => {
    const { states } = parsed(BASE);
    expect(states["constructor"]).toBeUndefined();
    expect(Reflect.get(states["implementing"]?.on ?? {}, "toString")).toBeUndefined();
  });
});

const builtin = join(import.meta.dirname, "../../builtin/pipelines");

describe("built-in pipelines", () => {
  it("there are six", () => {
    expect(readdirSync(builtin).toSorted()).toEqual([
      "bug.yaml",
      "chore.yaml",
      "feature.yaml",
      "improve.yaml",
      "review.yaml",
      "staged.yaml",
    ]);
  });

  it.each(readdirSync(builtin))("%s passes every rule", (file) => {
    const result = parsePipelineText({
      name: file.replace(/\.yaml$/, ""),
      text: readFileSync(join(builtin, file), "utf8"),
      file,
    });
    expect(result).toMatchObject({ ok: true });
  });
});
