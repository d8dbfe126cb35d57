import { describe, expect, test } from "vitest";
import { makeTask } from "../../testing/builders.ts";
import { isEndOfNight, deliveryId, describeEventNotice, describeTask } from "./notice.ts";
import type { Task } from "../task/task.ts";

const NOTHING = { report: "night" as const, runs: [], url: null, at: 61_000 };

const night = (over: Partial<Task> = {}): Task =>
  makeTask({
    pipeline: "improve",
    state: "published",
    status: "succeeded",
    outcome: "published",
    reason: "one test more",
    items: { list: ["tests", "refactoring", "docs", "security", "performance"], at: 2, scheduled: 1, tried: [] },
    ...over,
  });

describe("notice data", () => {
  test("describes a night that published something", () => {
    expect(describeTask(night(), { ...NOTHING, url: "https://git.example.com/7" })).toEqual({
      isNight: true,
      pipeline: "improve",
      status: "succeeded",
      state: "published",
      outcome: "published",
      category: "docs (fallback from tests)",
      reason: "one test more",
      url: "https://git.example.com/7",
      costUsd: 0,
      durationMs: 60_000,
      waitingFor: null,
      next: [],
    });
  });

  test("uses the title of what was published, because the URL is already included", () => {
    const url = "https://git.example.com/7";
    const FACTS = { ...NOTHING, url, at: 999_000 };
    const published = night({ reason: url, title: "Say more" });
    expect(describeTask(published, FACTS).reason).toBe("Say more");
    expect(describeTask(published, { ...FACTS, report: "task" }).reason).toBeNull();
    expect(describeTask({ ...published, finishedAt: 31_000 }, FACTS).durationMs).toBe(30_000);
  });

  test("describes a missed night and a closed change request", () => {
    const data = describeTask(night({ reason: "Say more" }), NOTHING);
    expect(describeEventNotice(data, "missed", "task_1", "it should have run")).toMatchObject({
      about: "missed",
      reason: "it should have run",
    });
    expect(describeEventNotice(data, "closed", "task_1", "…")).toMatchObject({
      about: "closed",
      reason: "Say more: why was it closed? One of wrong, not_worth_it, too_big, duplicate, style, other",
      next: ['nightshift rules reason task_1 <one of them> "…"'],
    });
  });

  test("a night without a result names the scheduled category and how many others were tried", () => {
    const items = { list: ["tests", "refactoring", "docs", "security", "performance"], at: 4, scheduled: 1, tried: [] };
    const nothing = night({ state: "no_improvement", outcome: "night_over", items });
    expect(describeTask(nothing, NOTHING)).toMatchObject({ outcome: "no_improvement", category: "tests and 4 more" });
    const early = night({ state: "no_improvement", items: { ...items, at: 0 } });
    expect(describeTask(early, NOTHING)).toMatchObject({ category: "tests" });
    const sunday = night({ state: "no_improvement", items: { list: [], at: 0, scheduled: 0, tried: [] } });
    expect(describeTask(sunday, NOTHING)).toMatchObject({ category: null });
  });

  test("sums up costs, and is unknown as soon as one is", () => {
    const run = { step: "agent", startedAt: 1, costUsd: 0.25 };
    const known = [
      run,
      run,
      { step: "checks", startedAt: 1, costUsd: null },
      { ...run, startedAt: null, costUsd: null },
    ];
    expect(describeTask(night(), { ...NOTHING, runs: known }).costUsd).toBe(0.5);
    expect(describeTask(night(), { ...NOTHING, runs: [...known, { ...run, costUsd: null }] }).costUsd).toBeNull();
  });

  test("contains what a task waits for and the commands that answer", () => {
    const question = { context: null, input: "text", options: [], default: null, deadline: null } as const;
    const asks = makeTask({
      status: "waiting",
      waitingFor: {
        kind: "answers",
        questions: [
          { id: "q1", question: "Which port?", ...question },
          { id: "q2", question: "Which host?", ...question },
        ],
        since: 0,
      },
    });
    expect(describeTask(asks, NOTHING)).toMatchObject({
      outcome: null,
      waitingFor: "answers",
      reason: "Which port? (and 1 more)",
      next: ["nightshift answer task_0000000001 q1=… q2=…"],
    });
    const option = { title: "", description: "", recommended: false };
    const choose = makeTask({
      status: "waiting",
      waitingFor: {
        kind: "choice",
        reason: "several ways fit",
        options: [
          { id: "a", ...option },
          { id: "b", ...option },
        ],
        since: 0,
      },
    });
    expect(describeTask(choose, NOTHING)).toMatchObject({
      reason: "several ways fit",
      next: ["nightshift choose task_0000000001 a", "nightshift choose task_0000000001 b"],
    });
    const ids = ["publish", "repair", "reject"];
    const options = ids.map((id) => ({ id, ...option }));
    const decide = makeTask({
      status: "waiting",
      waitingFor: { kind: "choice", reason: "no check gave a result", options, since: 0, about: "checks" },
    });
    expect(describeTask(decide, NOTHING).next).toEqual([
      'nightshift choose task_0000000001 publish --note "…"',
      'nightshift choose task_0000000001 repair --note "…"',
      "nightshift choose task_0000000001 reject",
    ]);
    const approve = makeTask({ status: "waiting", waitingFor: { kind: "approval", planHash: null, since: 0 } });
    expect(describeTask(approve, NOTHING).next[0]).toBe("nightshift approve task_0000000001");
    const failed = makeTask({ status: "failed", outcome: "timeout", reason: "too slow" });
    expect(describeTask(failed, { ...NOTHING, report: "task" })).toMatchObject({
      outcome: "timeout",
      next: ["nightshift show task_0000000001", "nightshift retry task_0000000001"],
    });
  });
});

test.for([
  ["finished", "task", false],
  ["finished", "night", true],
  ["failed", "night", true],
  ["waiting", "night", false],
] as const)("notices: %s of a %s is the end of a night: %s", ([kind, report, expected]) => {
  expect(isEndOfNight(kind, { isNight: report === "night" })).toBe(expected);
});

test("notices: a missed night has no end, because its replacement has one", () => {
  expect(isEndOfNight("failed", { isNight: true, about: "missed" })).toBe(false);
});

const idOf = (task: string | null, at: number) => deliveryId({ project: "shop", task, at, id: 1 });

test("notices: delivery ids are unique, also across new databases", () => {
  expect(idOf("task_a", 5)).not.toBe(idOf("task_b", 5));
  expect(idOf("task_a", 5)).toBe("task_a-1");
  expect(idOf(null, 5)).not.toBe(idOf(null, 6));
});
