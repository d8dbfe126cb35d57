import { describe, expect, it } from "vitest";
import { WAIT_KINDS, type WaitKind } from "./pipeline.ts";
import { builtIn } from "../../testing/walk.ts";
import { possibleActions, takesComments } from "./possible-actions.ts";
import { TASK_STATUSES, type TaskStatus } from "../task/task.ts";

describe("possibleActions()", () => {
  it.each<[TaskStatus, readonly string[]]>([
    ["queued", ["pause", "cancel", "kill"]],
    ["running", ["pause", "cancel", "kill"]],
    ["paused", ["resume", "cancel", "kill"]],
    ["failed", ["retry", "follow-up", "delete"]],
    ["cancelled", ["retry", "follow-up", "delete"]],
    ["succeeded", ["follow-up", "delete"]],
  ])("%s: %j", (status, actions) => {
    expect(possibleActions(status)).toEqual(actions);
  });

  it("offers to retry a parked task", () => {
    expect(possibleActions("queued", { isParked: true })).toEqual(["retry", "pause", "cancel", "kill"]);
  });

  it("does not offer to continue a nightly improvement", () => {
    expect(possibleActions("succeeded", { isNight: true })).toEqual(["delete"]);
    expect(possibleActions("failed", { isNight: true })).toEqual(["retry", "delete"]);
  });

  it.each<[WaitKind, readonly string[]]>([
    ["approval", ["approve", "revise", "reject", "cancel"]],
    ["answers", ["answer", "cancel"]],
    ["choice", ["choose", "cancel"]],
    ["review", ["approve", "comment", "follow-up", "reject", "cancel"]],
    ["merge", ["merge", "comment", "follow-up", "reject", "cancel"]],
  ])("waiting for %s: %j", (kind, actions) => {
    expect(possibleActions("waiting", { waitsFor: kind })).toEqual(actions);
  });

  it("does not offer comments if the pipeline has no edge for them", () => {
    expect(possibleActions("waiting", { waitsFor: "merge", takesComments: false })).not.toContain("comment");
  });

  it.each(["feature", "bug", "chore"])("the merge gate of %s takes comments, its other states do not", (name) => {
    const pipeline = builtIn(name);
    const taking = Object.keys(pipeline.states).filter((state) => takesComments(pipeline, state));
    expect(taking).toEqual(["merging"]);
  });

  it("is never empty", () => {
    for (const status of TASK_STATUSES)
      for (const kind of WAIT_KINDS) expect(possibleActions(status, { waitsFor: kind }).length).toBeGreaterThan(0);
  });
});
