import { describe, expect, it } from "vitest";
import type { RunJson, TaskJson } from "../../http/client/client.ts";
import { statusLine, type LiveTask } from "./status-line.ts";

const NOW = Date.parse("2026-11-16T02:00:00.000Z");
const RUN = { id: "run_1", role: "implement", attempt: 1, started_at: "x", finished_at: null, error: null } as RunJson;

function line(task: Partial<TaskJson>, live: Partial<LiveTask> = {}): string {
  const base = {
    id: "task_1",
    state: "implementing",
    status: "running",
    runs: [RUN],
    queued_for: null,
    cost_usd: 0,
    subtasks: [],
  };
  return statusLine({
    task: { ...base, ...task } as TaskJson,
    activity: null,
    runCost: null,
    elapsedMs: 12_999,
    now: NOW,
    ...live,
  });
}

describe("status line of --wait", () => {
  it("shows elapsed time, state, role, cost and activity, the longest last", () => {
    expect(line({ cost_usd: 0.1 }, { activity: "Bash npm test", runCost: 0.02 })).toBe(
      "    12 s  implementing · implement · $0.12 · Bash npm test",
    );
  });

  it("counts the finished subtasks", () => {
    const subtasks = [true, true, false].map((done) => ({ title: "Step", done }));
    expect(line({ subtasks })).toBe("    12 s  implementing · implement · subtasks: 2 of 3 done");
  });

  it.each([
    [0, "     0 s"],
    [59_999, "    59 s"],
    [60_000, "1 min 0 s"],
    [3_725_000, "1 h 2 min"],
  ])("shows %i ms as %j", (elapsedMs, expected) => {
    expect(line({}, { elapsedMs })).toBe(`${expected}  implementing · implement`);
  });

  it("names the attempt from the second on, and no role for a step without an agent", () => {
    expect(line({ runs: [{ ...RUN, attempt: 2 }] })).toContain("· implement (attempt 2)");
    expect(line({ state: "checking", runs: [{ ...RUN, role: null }] }, { activity: "test: 3 passed" })).toBe(
      "    12 s  checking · test: 3 passed",
    );
  });

  it("shows no cost while nothing is known to have been spent", () => {
    expect(line({ cost_usd: null })).not.toContain("$");
    expect(line({ cost_usd: 0 })).not.toContain("$");
    expect(line({ cost_usd: null }, { runCost: 0.004 })).toContain("$0.004");
  });

  it("says what a parked task waits for, until when and why", () => {
    const queued_for = {
      kind: "login" as const,
      until: "2026-11-16T02:05:00.000Z",
      reason: "the key is invalid",
      task: null,
      files: [],
    };
    expect(line({ status: "queued", runs: [], queued_for })).toMatch(
      /implementing · waits for a login, next attempt in 5 min \(\d\d:05\) · the key is invalid$/,
    );
  });

  it("a task that is tried again shows the last error", () => {
    const runs = [{ ...RUN, finished_at: "x", error: "exit code 3" }];
    const queued_for = {
      kind: "backoff" as const,
      until: "2026-11-16T02:00:04.000Z",
      reason: null,
      task: null,
      files: [],
    };
    expect(line({ status: "queued", runs, queued_for })).toMatch(/· next attempt in 4 s \(\d\d:00\) · exit code 3$/);
    expect(line({ status: "queued", runs, queued_for }, { now: NOW + 9_000 })).toContain("· next attempt now ·");
  });

  it("a task that waits for other runs says so", () => {
    expect(line({ status: "queued", runs: [] })).toMatch(/· waits for a free slot \(limits\.concurrent_runs\)$/);
  });

  it("a paused task says how to continue", () => {
    expect(line({ status: "paused" })).toContain("implementing, paused · continue with: nightshift resume task_1");
  });
});
