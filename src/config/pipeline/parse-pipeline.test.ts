import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OUTCOMES } from "../../core/outcomes/outcome.ts";
import { checkPipeline, type PipelineResult } from "./parse-pipeline.ts";
import { ROLES, STATE_ROLES } from "../../core/task/role.ts";

function check(value: unknown): PipelineResult {
  return checkPipeline({ name: "p", file: null, hash: "h", value }, (path) => ({ line: path.length, column: 1 }));
}

const ENDS = { done: { end: "succeeded" }, failed: { end: "failed" }, cancelled: { end: "cancelled" } };
const VALID = {
  name: "p",
  start: "working",
  states: { working: { agent: "execute", on: { completed: "done" } }, ...ENDS },
};

const names = fc.constantFrom("working", "done", "failed", "cancelled", "constructor", "__proto__", "");
const target = fc.letrec((tie) => ({
  target: fc.oneof(
    names,
    fc.jsonValue({ maxDepth: 1 }),
    fc.record(
      {
        to: names,
        ask: fc.constantFrom("answers", "choice", 1),
        limit: fc.dictionary(fc.constantFrom("a", "b"), fc.integer({ min: -1, max: 102 })),
        else: tie("target"),
        when: fc.constantFrom("git", "not git", "not", "x"),
        role: fc.constantFrom(...ROLES, "x"),
        next: fc.constantFrom("item", "x", null),
      },
      { requiredKeys: [] },
    ),
  ),
})).target;
const state = fc.record(
  {
    agent: fc.constantFrom(...STATE_ROLES),
    checks: fc.boolean(),
    wait: fc.constantFrom("approval", "merge", "x"),
    end: fc.constantFrom("succeeded", "failed", 3),
    when: fc.constantFrom("git", "not git", 7),
    else: names,
    on: fc.dictionary(fc.constantFrom(...OUTCOMES, "__proto__"), fc.oneof(target, fc.array(target, { maxLength: 3 }))),
    with: fc.jsonValue({ maxDepth: 1 }),
  },
  { requiredKeys: [] },
);
const nearlyAPipeline = fc.record(
  {
    name: fc.constant("p"),
    start: names,
    each: names,
    plan: fc.constantFrom("document", "execution", "x", 1),
    states: fc.dictionary(names, fc.oneof(state, fc.jsonValue({ maxDepth: 1 }))),
  },
  { requiredKeys: ["name", "start", "states"] },
);

describe("checkPipeline", () => {
  it.each([
    ["any JSON", fc.jsonValue()],
    ["nearly a pipeline", nearlyAPipeline],
  ])("%s: returns a pipeline or a list of problems and never throws", (_what, values) => {
    fc.assert(
      fc.property(values, (value) => {
        const result = check(value);
        if (result.ok) expect(Object.keys(result.pipeline.states)).toContain(result.pipeline.start);
        else expect(result.issues.length).toBeGreaterThan(0);
      }),
      { numRuns: 1000 },
    );
  });

  it("accepts a valid pipeline", () => {
    expect(check(VALID)).toMatchObject({ ok: true, pipeline: { name: "p", hash: "h" } });
  });
});

it("checkPipeline: plans are documents unless a state executes them or the file sets another kind", () => {
  const states = { working: { agent: "implement", on: { implemented: "done", no_changes: "failed" } }, ...ENDS };
  expect(check({ ...VALID, start: "working", states })).toMatchObject({ pipeline: { plan: "document" } });
  expect(check(VALID)).toMatchObject({ pipeline: { plan: "execution" } });
  expect(check({ ...VALID, plan: "document" })).toMatchObject({ pipeline: { plan: "document" } });
});

it("checkPipeline: a state may be named constructor", () => {
  const states = { constructor: { agent: "execute", on: { completed: "done" } }, ...ENDS };
  expect(check({ ...VALID, start: "constructor", states })).toMatchObject({ ok: true });
});

it("checkPipeline: reports how many problems it omitted", () => {
  const states = Object.fromEntries(
    Array.from({ length: 150 }, (_, index) => [`s${index}`, { agnet: "x", chekcs: "y" }]),
  );
  const result = check({ ...VALID, states });
  expect(result.ok ? [] : result.issues).toHaveLength(201);
  expect(result.ok ? null : result.issues.at(-1)?.message).toBe("There are 251 more problems.");
});

it("checkPipeline: rejects the fourth nested else", () => {
  const nested = (depth: number): unknown =>
    depth === 0 ? "failed" : { to: "working", limit: { [`l${depth}`]: 1 }, else: nested(depth - 1) };
  const withElse = (depth: number): PipelineResult =>
    check({
      ...VALID,
      states: { working: { agent: "execute", on: { completed: "done", timeout: nested(depth) } }, ...ENDS },
    });
  expect(withElse(4)).toMatchObject({ ok: true });
  expect(withElse(5)).toMatchObject({
    ok: false,
    issues: [{ message: "`else` can be nested at most 3 levels deep." }],
  });
});
