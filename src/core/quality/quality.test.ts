import { describe, expect, it } from "vitest";
import type { ChangeFacts, QualityFacts, RunFacts, TaskFacts } from "./facts.ts";
import { measureQuality, median, rate } from "./quality.ts";

let at = 0;

function run(over: Partial<RunFacts> = {}): RunFacts {
  at += 1_000;
  return {
    task: "t1",
    project: "shop",
    pipeline: "chore",
    step: "agent",
    role: "implement",
    agent: "claude-code",
    model: "opus",
    status: "succeeded",
    outcome: "implemented",
    durationMs: 60_000,
    finishedAt: at,
    ...over,
  };
}

function task(over: Partial<TaskFacts> = {}): TaskFacts {
  return { id: "t1", project: "shop", pipeline: "chore", status: "succeeded", finishedAt: 0, ...over };
}

function change(over: Partial<ChangeFacts> = {}): ChangeFacts {
  return { task: "t1", project: "shop", pipeline: "chore", state: "merged", publishedAt: 0, ...over };
}

function measure(facts: Partial<QualityFacts>, ...by: Parameters<typeof measureQuality>[1]) {
  return measureQuality({ runs: [], tasks: [], changes: [], ...facts }, by);
}

describe("quality", () => {
  it("counts runs by how they ended, and a timeout as failed", () => {
    const statuses = ["succeeded", "succeeded", "failed", "timeout", "cancelled", "interrupted"] as const;
    const [all] = measure({ runs: statuses.map((status) => run({ status })) });
    expect(all?.runs).toEqual({ ended: 6, succeeded: 2, failed: 2, cancelled: 1, interrupted: 1 });
  });

  it("ignores cancelled and interrupted runs in durations and attempts", () => {
    const runs = [
      run({ durationMs: 10 }),
      run({ durationMs: 30, status: "failed" }),
      run({ durationMs: 9_999, status: "interrupted" }),
      run({ durationMs: 20, role: "review" }),
    ];
    expect(measure({ runs })[0]).toMatchObject({ medianMs: 20, steps: 2 });
  });

  it("counts a task and its change for the agent that changed the work last, whoever reviewed it", () => {
    const runs = [
      run({ agent: "codex", model: "gpt" }),
      run({ role: "request_changes" }),
      run({ role: "review", agent: "codex", model: "gpt" }),
    ];
    const rows = measure({ runs, tasks: [task()], changes: [change()] }, "agent");
    expect(rows.map(({ key, tasks, changes, runs: ended }) => [key.agent, ended.ended, tasks.ended, changes])).toEqual([
      ["claude-code", 1, 1, { published: 1, merged: 1, closed: 0, open: 0 }],
      ["codex", 2, 0, { published: 0, merged: 0, closed: 0, open: 0 }],
    ]);
  });

  it("counts a task that nobody changed for its last agent, and one without runs for none", () => {
    const runs = [run({ role: "plan", agent: "codex" })];
    const rows = measure({ runs, tasks: [task({ status: "failed" }), task({ id: "t2" })] }, "agent");
    expect(rows.map(({ key, tasks }) => [key.agent, tasks])).toEqual([
      ["codex", { ended: 1, succeeded: 0, failed: 1, cancelled: 0 }],
      [null, { ended: 1, succeeded: 1, failed: 0, cancelled: 0 }],
    ]);
  });

  it("counts a task as repaired once, however many of its checks failed", () => {
    const checks = { step: "checks", role: null, agent: null, model: null } as const;
    const runs = [
      run(),
      run({ ...checks, outcome: "checks_failed" }),
      run({ ...checks, outcome: "policy_failed" }),
      run({ ...checks, outcome: "checks_passed" }),
      run({ ...checks, task: "t2", outcome: "checks_passed" }),
    ];
    expect(measure({ runs })[0]?.checks).toEqual({ tasks: 2, repaired: 1 });
  });

  it("adds up to the same numbers for every grouping", () => {
    const runs = [run(), run({ task: "t2", project: "api", agent: "codex" }), run({ task: "t3", pipeline: "bug" })];
    const facts = { runs, tasks: [task(), task({ id: "t2", project: "api" })], changes: [change({ state: "open" })] };
    for (const by of [[], ["project"], ["agent", "model"], ["pipeline", "role"]] as const) {
      const rows = measureQuality(facts, by);
      const sum = (of: (row: (typeof rows)[number]) => number): number => rows.reduce((all, row) => all + of(row), 0);
      expect([sum(({ runs: { ended } }) => ended), sum(({ tasks }) => tasks.ended)]).toEqual([3, 2]);
      expect(sum(({ changes }) => changes.open)).toBe(1);
    }
  });

  it("has one empty group without facts and dimensions, and none with dimensions", () => {
    expect(measure({})).toMatchObject([{ runs: { ended: 0 }, medianMs: null, steps: 0 }]);
    expect(measure({}, "agent")).toEqual([]);
  });
});

describe("quality: rates", () => {
  it("are null below 20, because they would say more about chance", () => {
    expect([rate(19, 19), rate(19, 20)]).toEqual([null, 0.95]);
  });

  it("the median of an even number is between the two in the middle", () => {
    expect([median([]), median([3]), median([9, 1]), median([5, 1, 9])]).toEqual([null, 3, 5, 5]);
  });
});
