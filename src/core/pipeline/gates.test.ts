import { describe, expect, it } from "vitest";
import { makeOutcome } from "../../testing/builders.ts";
import { builtIn, NO_FACTS, parsed, paramsFor, start, walk } from "../../testing/walk.ts";
import { advance, reopen } from "./advance/advance.ts";
import { findMissingDocument, findSkippedGates } from "./gates.ts";
import type { Task } from "../task/task.ts";
import type { Facts, Pipeline } from "./pipeline.ts";

const NOTHING_APPROVED: Pick<Task, "approvedStates" | "planHash" | "documents"> = {
  approvedStates: [],
  planHash: null,
  documents: [],
};

function openStates(pipeline: Pipeline, facts: Partial<Facts> = {}, task = NOTHING_APPROVED): readonly string[] {
  return Object.values(pipeline.states)
    .filter(({ step }) => step.kind !== "end" && step.kind !== "wait")
    .map(({ name }) => name)
    .filter((name) => findSkippedGates(pipeline, { ...NO_FACTS, ...facts }, task, name).length === 0);
}

const plan = (text: string) => makeOutcome("plan_complete", { payload: { plan: text } });

describe("gates: the states that a task may enter without a person's decision", () => {
  it("end at the first approval", () => {
    expect(openStates(builtIn("staged"))).toEqual(["planning"]);
    expect(openStates(builtIn("feature"))).toEqual(["designing", "planning"]);
    expect(openStates(builtIn("feature"), { design: true })).toEqual(["designing"]);
    expect(openStates(builtIn("bug"))).toEqual(["investigating"]);
    expect(openStates(builtIn("review"))).toEqual(["checking", "reviewing"]);
    expect(openStates(builtIn("review"), { auto_approve: true })).toEqual(["checking", "reviewing", "posting"]);
  });

  it("include everything if there is no gate, or if the settings or the task skip it", () => {
    for (const [name, facts] of [
      ["chore", {}],
      ["improve", {}],
      ["staged", { auto_approve: true }],
      ["feature", { auto_plan: true }],
    ] as const) {
      const pipeline = builtIn(name);
      const all = Object.values(pipeline.states).filter(({ step }) => step.kind !== "end" && step.kind !== "wait");
      expect(openStates(pipeline, facts), name).toHaveLength(all.length);
    }
  });

  it("include every wait, because a person decides there", () => {
    expect(findSkippedGates(builtIn("staged"), NO_FACTS, NOTHING_APPROVED, "staged")).toEqual([]);
  });

  it("name the gates in front of the others", () => {
    expect(findSkippedGates(builtIn("staged"), NO_FACTS, NOTHING_APPROVED, "running")).toEqual(["staged"]);
    expect(findSkippedGates(builtIn("bug"), NO_FACTS, NOTHING_APPROVED, "implementing")).toEqual([
      "investigation_review",
    ]);
  });

  it("include what a person approved, for that plan only", () => {
    const staged = builtIn("staged");
    const approved = walk(staged, start(staged), [plan("a"), makeOutcome("approve")]).task;
    expect(approved.approvedStates).toEqual([{ state: "running", planHash: approved.planHash }]);
    expect(openStates(staged, {}, approved)).toContain("running");
    const newer = { kind: "plan", version: 2, hash: "another", run: "run_2", at: 2 } as const;
    expect(openStates(staged, {}, { ...approved, documents: [...approved.documents, newer] })).not.toContain("running");
  });

  it("include what a person chose, and not the alternatives", () => {
    const pipeline = parsed(
      `name: p
start: choosing
states:
  choosing: { wait: choice, on: { chosen: [planning, implementing] } }
  planning: { agent: plan, on: { plan_complete: review } }
  review: { wait: approval, on: { approve: implementing, reject: cancelled, revise: planning } }
  implementing: { agent: implement, on: { implemented: done, no_changes: failed } }
  done: { end: succeeded }
  failed: { end: failed }
  cancelled: { end: cancelled }
`,
      "p",
    );
    const choice = makeOutcome("chosen", { payload: { option: "planning" } });
    const chosen = walk(pipeline, start(pipeline), [choice]).task;
    expect(openStates(pipeline, {}, chosen)).toEqual(["planning"]);
  });

  it("include a state that a person retried from", () => {
    const staged = builtIn("staged");
    const waiting = walk(staged, start(staged), [plan("a")]);
    const cancelled = advance(paramsFor(staged, waiting, makeOutcome("cancel")));
    const retried = reopen(paramsFor(staged, cancelled, makeOutcome("retry")), "running").task;
    expect(openStates(staged, {}, retried)).toContain("running");
  });
});

const missing = (name: string, state: string, facts: Partial<Facts> = {}, task = NOTHING_APPROVED) =>
  findMissingDocument(builtIn(name), { ...NO_FACTS, ...facts }, task, state);

describe("gates: the document that a person decides about", () => {
  it("is missing until an agent has written it", () => {
    expect(missing("staged", "staged")).toBe("plan");
    expect(missing("feature", "design_review")).toBe("design");
    expect(missing("bug", "investigation_review")).toBe("report");
    const { task } = walk(builtIn("staged"), start(builtIn("staged")), [plan("p")]);
    expect(missing("staged", "staged", {}, task)).toBeNull();
    expect(
      missing("staged", "staged", {}, { ...NOTHING_APPROVED, planHash: "stored by an earlier version" }),
    ).toBeNull();
  });

  it("is not needed where no person decides, or where the decision is about the change", () => {
    expect(missing("staged", "planning")).toBeNull();
    expect(missing("staged", "staged", { auto_approve: true })).toBeNull();
    expect(missing("feature", "merging")).toBeNull();
  });
});
