import { describe, expect, it } from "vitest";
import type { CheckResult, Run } from "../../core/task/run.ts";
import { agentData, costData, productEvents } from "./run-events.ts";
import { outcomeOf, resultOf, type StepContext, type StepResult } from "./step-context.ts";

const RUN = { id: "run_1", task: "task_1", role: "implement", startedAt: 1000 } as Run;
const TASK = { baseCommit: null, headCommit: null, options: { agent: null } } as StepContext["task"];

function result(known: Partial<StepResult>): StepResult {
  return resultOf({ task: TASK }, outcomeOf("implemented", "done", { summary: "done" }), known);
}

function check(changes: Partial<CheckResult>): CheckResult {
  return {
    run: RUN.id,
    name: "test",
    severity: "error",
    status: "passed",
    exitCode: 0,
    durationMs: 20,
    tail: "",
    ...changes,
  };
}

describe("events of a run", () => {
  it("a built-in check that passed is a debug event; any other result is a warning; commands had theirs before", () => {
    const checks = [
      check({ name: "diff-policy", exitCode: null }),
      check({ name: "no-secrets", status: "failed", exitCode: null }),
      check({ status: "failed", exitCode: 1 }),
    ];
    const events = productEvents(RUN, result({ checks }), 5);
    expect(events.map(({ type, level, summary }) => [type, level, summary])).toEqual([
      ["check.ended", "debug", "check diff-policy: passed"],
      ["check.ended", "warning", "check no-secrets: failed"],
    ]);
    expect(events[1]).toMatchObject({
      at: 5,
      task: "task_1",
      run: "run_1",
      data: { name: "no-secrets", status: "failed", severity: "error", exit_code: null, duration_ms: 20 },
    });
  });

  it("artifacts are debug events; an artifact that could not be kept is a warning", () => {
    const artifacts = [{ type: "branch", label: "nightshift/x", url: "https://example.com/x", data: {} }] as const;
    const events = productEvents(RUN, result({ artifacts, artifactFailures: ["The diff could not be kept: full"] }), 5);
    expect(events).toMatchObject([
      {
        type: "artifact.added",
        level: "debug",
        summary: "branch: nightshift/x",
        data: { type: "branch", label: "nightshift/x", url: "https://example.com/x" },
      },
      { type: "artifact.failed", level: "warning", summary: "The diff could not be kept: full" },
    ]);
  });

  it("all tool calls of a run are one debug event, the most used tool first", () => {
    const events = productEvents(RUN, result({ toolUses: { Edit: 2, Bash: 7 } }), 5);
    expect(events).toMatchObject([
      {
        type: "run.tools",
        level: "debug",
        summary: "tools used: Bash (7), Edit (2)",
        data: { tools: { Bash: 7, Edit: 2 } },
      },
    ]);
    expect(productEvents(RUN, result({}), 5)).toEqual([]);
  });

  it("run.ended has the cost of the run and its duration without pauses", () => {
    const ended = result({ costUsd: 0.25, costBasis: "reported", pausedMs: 300 });
    expect(costData(RUN, ended, 2000)).toEqual({ cost_usd: 0.25, cost_basis: "reported", duration_ms: 700 });
    expect(costData({ ...RUN, startedAt: null }, ended, 2000)).toMatchObject({ duration_ms: null });
  });

  it("run.started names no agent if the step has none or the settings name an unknown one", () => {
    const settings = { agent: "unknown", agents: {}, roles: { implement: { agent: null, model: null } } };
    const loaded = { settings, state: { agent: { agent: null, model: null } }, task: TASK } as unknown as StepContext;
    expect(agentData(RUN, loaded)).toEqual({});
    expect(agentData({ ...RUN, role: null }, loaded)).toEqual({});
  });
});
