import { describe, expect, it } from "vitest";
import type { TaskJson } from "../../../http/client/client.ts";
import { formatNextSteps, nextSteps } from "./next-steps.ts";

const BRANCH = { type: "branch", label: "agent/greet", url: null, data: {} } as const;
const REQUEST = { type: "change_request", label: "Greet", url: "https://example.com/mr/1", data: {} } as const;
const WORK = { step: "agent", state: "implementing", commit: "abc" } as TaskJson["runs"][number];
const REVIEW = "git fetch origin && git diff origin/main...origin/agent/greet";

function steps(task: Partial<TaskJson>, review: string | null = null): readonly string[] {
  const base = { id: "task_1", state: "done", status: "succeeded", category: null, outcome: null };
  return nextSteps({ ...base, artifacts: [], runs: [], ...task } as TaskJson, review);
}

describe("next steps", () => {
  it("a pushed branch can be compared with git", () => {
    expect(steps({ artifacts: [BRANCH] }, REVIEW)).toEqual(["nightshift diff task_1", REVIEW]);
    expect(steps({ artifacts: [BRANCH] }, null)).toEqual(["nightshift diff task_1"]);
    expect(steps({ artifacts: [BRANCH], outcome: "merged" }, REVIEW)).toEqual(["nightshift diff task_1"]);
  });

  it("a change request is reviewed at its address", () => {
    expect(steps({ artifacts: [BRANCH, REQUEST] }, REVIEW)).toEqual([REQUEST.url, "nightshift diff task_1"]);
  });

  it("a task without a branch has results, and a night without a candidate has transcripts", () => {
    expect(steps({ state: "completed" })).toEqual(["nightshift results task_1"]);
    expect(steps({ state: "no_improvement", category: "docs" })).toEqual(["nightshift display task_1"]);
  });

  it("a change that failed its checks goes back to the agent", () => {
    expect(steps({ status: "failed", outcome: "checks_failed", runs: [WORK] })).toEqual([
      "nightshift diff task_1",
      "nightshift retry task_1 --from implementing --wait",
    ]);
  });

  it("a failed agent has a transcript, other failures have details", () => {
    const runs = [{ ...WORK, commit: null }];
    expect(steps({ status: "failed", outcome: "agent_error", runs })).toEqual([
      "nightshift display task_1",
      "nightshift retry task_1 --wait",
    ]);
    expect(steps({ status: "failed", outcome: "setup_failed" })).toEqual([
      "nightshift show task_1",
      "nightshift retry task_1 --wait",
    ]);
    expect(steps({ status: "failed", outcome: "sandbox_refused" })).toEqual(["nightshift doctor"]);
  });

  it("an abandoned night starts over as a whole", () => {
    const night = { status: "failed", outcome: "checks_failed", category: "docs", runs: [WORK] } as const;
    expect(steps({ ...night, runs: [...night.runs] })).toEqual([
      "nightshift display task_1",
      "nightshift retry task_1 --wait",
    ]);
  });

  it("a task that continues can be watched or resumed", () => {
    expect(steps({ status: "queued" })).toEqual(["nightshift display task_1 --follow"]);
    expect(steps({ status: "running" })).toEqual(["nightshift display task_1 --follow"]);
    expect(steps({ status: "paused" })).toEqual(["nightshift resume task_1"]);
    expect(steps({ status: "waiting" })).toEqual([]);
  });

  it("are printed on one line or as a list", () => {
    expect(formatNextSteps([])).toBe("");
    expect(formatNextSteps(["a"])).toBe("Next: a\n");
    expect(formatNextSteps(["a", "b"])).toBe("Next:\n  a\n  b\n");
  });
});
