import { describe, expect, it } from "vitest";
import { lastPayload, readStored, storedPayload } from "./stored-outcome.ts";

const refused = {
  outcome: "refused",
  payload: { summary: "no", reported_findings: ["a"], commit: "c1", denied: ["x"] },
};

describe("readStored", () => {
  it("reads the known fields of a row and drops the rest", () => {
    expect(readStored(refused)).toEqual({ name: "refused", payload: { reported_findings: ["a"], commit: "c1" } });
  });

  it("treats a missing payload as empty", () => {
    expect(readStored({ outcome: "timeout", payload: null })).toEqual({ name: "timeout", payload: {} });
  });

  it.each([
    ["a run without an outcome", { outcome: null, payload: null }],
    ["an outcome of another version", { outcome: "checks_postponed", payload: {} }],
    ["a name that every object has", { outcome: "constructor", payload: {} }],
    ["a payload of another shape", { outcome: "refused", payload: { reported_findings: "a" } }],
    ["a payload that lacks what it needs", { outcome: "published", payload: { branch: "b" } }],
  ])("returns null for %s", (_, run) => {
    expect(readStored(run)).toBeNull();
  });

  it("reads both kinds of plan", () => {
    const plan = { plan: "1. …", plan_summary: "s", subtasks: [] };
    expect(storedPayload({ outcome: "plan_complete", payload: plan }, "plan_complete")).toEqual(plan);
  });
});

describe("lastPayload", () => {
  it("is the payload of the newest run with this outcome", () => {
    const runs = [refused, { outcome: "refused", payload: { commit: "c2" } }, { outcome: "timeout", payload: {} }];
    expect(lastPayload(runs, "refused")).toEqual({ commit: "c2" });
    expect(lastPayload(runs, "published")).toBeNull();
  });
});
