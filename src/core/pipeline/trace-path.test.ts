import { describe, expect, it } from "vitest";
import { viewPipeline } from "../../http/views/pipeline-view.ts";
import { builtIn } from "../../testing/walk.ts";
import type { Transition } from "./describe-path.ts";
import { tracePath } from "./trace-path.ts";

const FEATURE = viewPipeline(builtIn("feature"), { project: "shop" });

/** Transitions from `states` and outcomes in turn. */
function walk(start: string, ...steps: readonly (readonly [outcome: string, to: string])[]): readonly Transition[] {
  return steps.map(([outcome, to], index) => ({ from: steps[index - 1]?.[1] ?? start, outcome, to }));
}

const REPAIRED = walk(
  "planning",
  ["plan_complete", "plan_review"],
  ["approve", "implementing"],
  ["implemented", "checking"],
  ["checks_failed", "implementing"],
  ["implemented", "checking"],
  ["checks_passed", "publishing"],
  ["published", "reviewing"],
  ["changes_requested", "implementing"],
  ["implemented", "checking"],
  ["checks_passed", "publishing"],
  ["published", "reviewing"],
  ["approved", "merging"],
);

describe("tracePath()", () => {
  it("has the states in the order of the pipeline, with what comes next", () => {
    const { states } = tracePath(FEATURE, { transitions: REPAIRED, current: "merging", hasEnded: false });
    expect(states.map(({ name, visits, place }) => `${name} ${visits} ${place}`)).toEqual([
      "planning 1 past",
      "plan_review 1 past",
      "implementing 3 past",
      "checking 3 past",
      "publishing 2 past",
      "reviewing 2 past",
      "merging 1 current",
      "done 0 ahead",
    ]);
  });

  it("counts the loops, with the limits of the edges", () => {
    const { loops } = tracePath(FEATURE, { transitions: REPAIRED, current: "merging", hasEnded: false });
    expect(loops).toEqual([
      { from: "checking", to: "implementing", name: "repair", times: 1, max: 3 },
      { from: "reviewing", to: "implementing", name: "review", times: 1, max: 3 },
    ]);
  });

  it("says the path in words", () => {
    const { sentence } = tracePath(FEATURE, { transitions: REPAIRED, current: "merging", hasEnded: false });
    expect(sentence).toBe(
      "Path: planning, plan_review, implementing, checking, back to implementing (repair 1 of 3), checking, publishing, reviewing, back to implementing (review 1 of 3), checking, publishing, reviewing, now merging. Next: done.",
    );
  });

  it("shows the way ahead of a task that did not move yet", () => {
    const { states, loops, sentence } = tracePath(FEATURE, { transitions: [], current: "planning", hasEnded: false });
    expect(states.map(({ name }) => name)).toEqual([
      "planning",
      "plan_review",
      "implementing",
      "checking",
      "publishing",
      "reviewing",
      "merging",
      "done",
    ]);
    expect(loops).toEqual([]);
    expect(sentence).toContain("Path: now planning. Next: plan_review, implementing");
  });

  it("has nothing ahead of a task that ended, and names loops without a limit by their outcome", () => {
    const transitions = walk(
      "planning",
      ["plan_complete", "plan_review"],
      ["revise", "planning"],
      ["plan_complete", "plan_review"],
      ["reject", "cancelled"],
    );
    const path = tracePath(FEATURE, { transitions, current: "cancelled", hasEnded: true });
    expect(path.states.map(({ name }) => name)).toEqual(["planning", "plan_review", "cancelled"]);
    expect(path.loops).toEqual([{ from: "plan_review", to: "planning", name: "revise", times: 1, max: null }]);
    expect(path.sentence).toBe(
      "Path: planning, plan_review, back to planning (revise), plan_review, ended in cancelled.",
    );
  });

  it("keeps states that the pipeline no longer has, and a transition to the same state", () => {
    const transitions: Transition[] = [
      { from: null, to: "gone", outcome: "retry" },
      { from: "gone", to: "gone", outcome: "agent_error" },
    ];
    const path = tracePath({ states: [] }, { transitions, current: "gone", hasEnded: false });
    expect(path.states).toEqual([{ name: "gone", visits: 2, place: "current" }]);
    expect(path.sentence).toBe("Path: gone, now gone again (agent_error).");
  });
});
