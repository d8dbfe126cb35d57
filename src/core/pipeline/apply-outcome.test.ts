import { describe, expect, it } from "vitest";
import { makeOutcome, makeTask } from "../../testing/builders.ts";
import { builtIn, paramsFor } from "../../testing/walk.ts";
import type { AdvanceParams } from "./advance.ts";
import { canonicalJson, applyOutcome } from "./apply-outcome.ts";
import type { OutcomeName } from "../outcomes/outcome.ts";
import type { Role } from "../task/role.ts";
import type { Exchange, Task } from "../task/task.ts";

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
    expect(context).toEqual([{ kind, text: name.replaceAll("_", " "), run: "run_9", at: 1_001 }]);
  });

  it("an implementation that was triggered by errors is a fix", () => {
    const trigger = { kind: "errors", text: "lint", run: null } as const;
    expect(applyOutcome(params("implemented", { trigger }, byRun("implement"))).context).toMatchObject([
      { kind: "fix_summary" },
    ]);
  });

  it("there is none without a run or a successful outcome", () => {
    expect(applyOutcome(params("changes_requested", {})).context).toEqual([]);
    expect(applyOutcome(params("timeout", {}, byRun("implement"))).context).toEqual([]);
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

describe("applyOutcome: plan", () => {
  it("is stored with a hash that does not depend on the order of keys", () => {
    const task = applyOutcome({
      ...params("plan_complete", {}),
      outcome: makeOutcome("plan_complete", { payload: { b: 1, a: { d: [2], c: 3 } } }),
    });
    expect(task).toMatchObject({ plan: { b: 1, a: { d: [2], c: 3 } }, planHash: 'hash:{"a":{"c":3,"d":[2]},"b":1}' });
  });

  it("has another hash if a list has another order", () => {
    expect(canonicalJson({ a: [1, 2] })).not.toBe(canonicalJson({ a: [2, 1] }));
    expect(canonicalJson({ x: null, y: "é" })).toBe(canonicalJson({ y: "é", x: null }));
  });
});
