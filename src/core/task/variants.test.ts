import { describe, expect, it } from "vitest";
import { makeTask } from "../../testing/builders.ts";
import type { Task } from "./task.ts";
import { areDecidable, findCandidates, isRepairable, nameVariants, shareOfBudget } from "./variants.ts";

const digest = (id: string): string => ({ task_1: "c", task_2: "a", task_3: "b" })[id] ?? "";
const HOUR = 3_600_000;
const passed = makeTask({ id: "task_1", status: "succeeded", outcome: "checks_passed", finishedAt: HOUR });
const unclear = makeTask({ id: "task_2", status: "succeeded", outcome: "checks_inconclusive", finishedAt: HOUR });
const failed = makeTask({ id: "task_3", status: "failed", outcome: "checks_failed", finishedAt: HOUR });
const running = makeTask({ id: "task_4", status: "running" });
const parkedFor = (kind: NonNullable<Task["queuedFor"]>["kind"]): Task =>
  makeTask({ id: "task_5", status: "queued", queuedFor: { kind, until: 9 * HOUR } });

describe("findCandidates", () => {
  it("prefers variants that passed the checks to those that the checks say nothing about", () => {
    expect(findCandidates([unclear, passed, failed, running])).toEqual([passed]);
    expect(findCandidates([unclear, failed])).toEqual([unclear]);
    expect(findCandidates([failed, running])).toEqual([]);
  });
});

describe("areDecidable", () => {
  it("waits for every variant that works or will soon", () => {
    expect(areDecidable([passed, failed], HOUR)).toBe(true);
    expect(areDecidable([passed, running], 9 * HOUR)).toBe(false);
    for (const kind of ["backoff", "capacity"] as const)
      expect(areDecidable([passed, parkedFor(kind)], 9 * HOUR)).toBe(false);
    expect(areDecidable([passed, makeTask({ status: "queued" })], 9 * HOUR)).toBe(false);
  });

  it("waits 30 minutes for a parked agent after another variant has passed, and without limit if none has", () => {
    expect(areDecidable([passed, parkedFor("quota")], 1.4 * HOUR)).toBe(false);
    expect(areDecidable([passed, parkedFor("quota")], 1.5 * HOUR)).toBe(true);
    expect(areDecidable([failed, parkedFor("quota")], 9 * HOUR)).toBe(false);
    expect(areDecidable([passed, parkedFor("login"), running], 9 * HOUR)).toBe(false);
  });
});

describe("isRepairable", () => {
  it("needs a change that failed the checks; one that the policy rejected may contain a secret", () => {
    const work = { baseCommit: "a".repeat(40), headCommit: "b".repeat(40) };
    expect(isRepairable({ ...failed, ...work })).toBe(true);
    expect(isRepairable({ ...failed, ...work, outcome: "policy_failed" })).toBe(false);
    expect(isRepairable({ ...failed, ...work, headCommit: work.baseCommit })).toBe(false);
  });
});

describe("shareOfBudget", () => {
  it("leaves one more share for the ranking and everything after it", () => {
    expect(shareOfBudget(5, [1, null], 3)).toBe(1);
    expect(shareOfBudget(1, [2], 2)).toBe(0);
    expect(shareOfBudget(null, [2], 2)).toBeNull();
  });
});

describe("nameVariants", () => {
  it("gives letters in an order that does not depend on the agents' order", () => {
    const names = [...nameVariants([passed, unclear, failed], digest)].map(([name, { id }]) => [name, id]);
    expect(names).toEqual([
      ["A", "task_2"],
      ["B", "task_3"],
      ["C", "task_1"],
    ]);
  });
});
