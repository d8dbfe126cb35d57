import { describe, expect, it } from "vitest";
import { makeOutcome, makeTask } from "../../../testing/builders.ts";
import { builtIn, paramsFor } from "../../../testing/walk.ts";
import type { AdvanceParams } from "./advance.ts";
import { canonicalJson } from "../../text/canonical-json.ts";
import { applyOutcome } from "./apply-outcome.ts";
import type { OutcomeName } from "../../outcomes/outcome.ts";
import type { Role } from "../../task/role.ts";
import type { Exchange, Task } from "../../task/task.ts";

function params(name: OutcomeName, task: Partial<Task>, more: Partial<AdvanceParams> = {}): AdvanceParams {
  return paramsFor(
    builtIn("chore"),
    { task: makeTask(task), events: [], next: null },
    makeOutcome(name, { payload: { option: "b" } }),
    more,
  );
}

function byRun(role: Role): Partial<AdvanceParams> {
  return { run: { id: "run_9", role, step: "agent" } };
}

describe("applyOutcome: summaries for later runs", () => {
  it.each<[OutcomeName, Role, string]>([
    ["plan_complete", "plan", "plan_summary"],
    ["plan_complete", "plan_revision", "plan_revision_summary"],
    ["investigation_complete", "investigate", "investigation_summary"],
    ["design_ready", "design", "design_summary"],
    ["implemented", "implement", "implementation_summary"],
    ["implemented", "request_changes", "fix_summary"],
    ["approved", "review", "review_approved"],
    ["changes_requested", "review", "review_feedback"],
  ])("%s of %s becomes a %s", (name, role, kind) => {
    const { context } = applyOutcome(params(name, {}, byRun(role)));
    expect(context).toMatchObject([{ kind, summary: name.replaceAll("_", " "), run: "run_9", at: 1_001 }]);
    expect(context[0]?.source).toBe(role === "review" ? "reviewer" : "agent");
  });

  it("an implementation that was triggered by errors is a fix", () => {
    const trigger = { kind: "errors", text: "lint", run: null } as const;
    expect(applyOutcome(params("implemented", { trigger }, byRun("implement"))).context).toMatchObject([
      { kind: "fix_summary" },
    ]);
  });

  it("a failed attempt is remembered with its outcome", () => {
    expect(applyOutcome(params("timeout", {}, byRun("implement"))).context).toMatchObject([
      { kind: "failed_attempt", source: "agent", summary: "timeout", data: { outcome: "timeout" } },
    ]);
  });

  it("there is none without a run, or if the outcome says nothing about the work", () => {
    expect(applyOutcome(params("chosen", {})).context).toEqual([]);
    expect(applyOutcome(params("usage_limit", {}, byRun("implement"))).context).toEqual([]);
  });

  it("a summary is limited to 2,000 characters", () => {
    const outcome = makeOutcome("implemented", { summary: "x".repeat(5_000) });
    const [entry] = applyOutcome({ ...params("implemented", {}, byRun("implement")), outcome }).context;
    expect(entry?.summary).toHaveLength(2_000);
  });

  it("the comments of a review are kept", () => {
    const comments = [{ severity: "nit", comment: "Name it." }];
    const outcome = makeOutcome("changes_requested", { payload: { comments } });
    const [entry] = applyOutcome({ ...params("changes_requested", {}, byRun("review")), outcome }).context;
    expect(entry?.data).toEqual({ comments });
  });
});

describe("applyOutcome: a person's review", () => {
  it("is remembered like an agent's, with the person's name", () => {
    const comments = [{ severity: "nit", comment: "Name it." }];
    const outcome = makeOutcome("changes_requested", { payload: { comments, commit: "c1" } });
    const { context } = applyOutcome({ ...params("changes_requested", {}), outcome, run: null });
    expect(context).toMatchObject([
      { kind: "review_feedback", source: "person", run: null, data: { comments, commit: "c1", by: "ada" } },
    ]);
  });
});

describe("applyOutcome: reply", () => {
  const exchange: Exchange = { kind: "choice", state: "implementing", asked: [], reply: null, by: null, at: 500 };
  const waitingFor = { kind: "choice", reason: "", options: [], since: 500 } as const;

  it("is stored in the exchange that the task waits for", () => {
    const { conversation } = applyOutcome(params("chosen", { conversation: [exchange], waitingFor }));
    expect(conversation).toEqual([{ ...exchange, reply: { option: "b" }, by: "ada", at: 1_001 }]);
  });

  it.each<[string, Partial<Task>]>([
    ["asked earlier", { waitingFor: { ...waitingFor, since: 700 } }],
    ["asked in another state", { waitingFor, state: "reviewing" }],
    ["asked for something else", { waitingFor: { kind: "answers", questions: [], since: 500 } }],
    ["not waited for", { waitingFor: null }],
    ["replied to already", { waitingFor, conversation: [{ ...exchange, reply: {}, by: "bob" }] }],
  ])("is not stored in an exchange that was %s", (_what, task) => {
    const input = params("chosen", { conversation: [exchange], ...task });
    expect(applyOutcome(input).conversation).toEqual(input.task.conversation);
  });
});

describe("applyOutcome: subtasks", () => {
  it("are those of the newest plan, and agents mark them as done by their number", () => {
    const plan = makeOutcome("plan_complete", { payload: { plan: "p", subtasks: ["a", "b"] } });
    const planned = applyOutcome({ ...params("plan_complete", {}, byRun("plan")), outcome: plan });
    const outcome = makeOutcome("implemented", { payload: { subtasks_done: [2, 9] } });
    expect(applyOutcome({ ...params("implemented", planned, byRun("implement")), outcome }).subtasks).toEqual([
      { title: "a", done: false },
      { title: "b", done: true },
    ]);
  });
});

describe("canonical JSON", () => {
  it("does not depend on the order of keys, but on that of lists", () => {
    expect(canonicalJson({ b: 1, a: { d: [2], c: 3 } })).toBe('{"a":{"c":3,"d":[2]},"b":1}');
    expect(canonicalJson({ a: [1, 2] })).not.toBe(canonicalJson({ a: [2, 1] }));
    expect(canonicalJson({ x: null, y: "é" })).toBe(canonicalJson({ y: "é", x: null }));
  });
});
