import { expect, test } from "vitest";
import type { EventJson, TaskJson } from "../../http/client/client.ts";
import { describeEvent } from "./event.ts";

const plain = { color: false };
const failed = {
  status: "failed",
  state: "failed",
  reason: "no such file (tried 3 times)",
  waiting_for: null,
} as const;

function event(type: EventJson["type"], summary: string, data: EventJson["data"] = {}): EventJson {
  const base = { id: 1, at: "2026-11-16T02:00:00.000Z", task: "task_1", run: null, level: "info" } as const;
  return { ...base, actor: { kind: "system", name: "nightshift" }, type, summary, data };
}

const runEnded = event("run.ended", "implement: agent_error – no such file");
const taskEnded = event("task.ended", "failed: no such file (tried 3 times)");

test("events: the reason is omitted if the summary prints it", () => {
  expect(describeEvent(plain, runEnded, failed)).toBe("implement: agent_error");
  expect(describeEvent(plain, taskEnded, failed)).toBe("failed");
  expect(describeEvent(plain, runEnded, null)).toBe("implement: agent_error – no such file");
});

test("events: the reason is printed if the summary omits it", () => {
  const other = event("run.ended", "checks: checks_failed – test: failed");
  expect(describeEvent(plain, other, failed)).toBe("checks: checks_failed – test: failed");
  const succeeded = { status: "succeeded", state: "done", reason: "agent/x at 1234", waiting_for: null } as const;
  expect(describeEvent(plain, event("task.ended", "succeeded: agent/x at 1234"), succeeded)).toBe(
    "succeeded: agent/x at 1234",
  );
});

test("events: the reason of an improvement that found nothing is left to the summary", () => {
  const reason = "docs: all is described (7 files)\ntests: covered (7 files)";
  const nothing = { status: "succeeded", state: "no_improvement", reason, waiting_for: null } as const;
  expect(describeEvent(plain, event("task.ended", `succeeded: ${reason}`), nothing)).toBe("succeeded");
});

test("events: the reason of a choice is not printed twice", () => {
  const waiting: Pick<TaskJson, "status" | "state" | "reason" | "waiting_for"> = {
    status: "waiting",
    state: "implementing",
    reason: null,
    waiting_for: {
      kind: "choice",
      since: runEnded.at,
      reason: "no such file",
      options: [],
      about: null,
      needs_note: false,
      next_steps: [],
    },
  };
  expect(describeEvent(plain, runEnded, waiting)).toBe("implement: agent_error");
});

test("events: a queued task shows what it waits for and the time of its next attempt, seen from the event", () => {
  const until = Date.parse("2026-11-16T02:05:00Z");
  const queued = event("task.queued", "usage_limit: used up", { kind: "quota", until, outcome: "usage_limit" });
  expect(describeEvent(plain, queued, null)).toMatch(
    /^waits for the usage limit of its agent to reset, next attempt in 5 min \(\d\d:05\)$/,
  );
  expect(describeEvent(plain, { ...queued, data: { kind: "capacity", until: null } }, null)).toBe(
    "waits for capacity on this machine",
  );
});

test("events: colours follow the level, and control characters are removed", () => {
  const loud = { ...event("run.note", "a\nb\u0007"), level: "error" } as const;
  expect(describeEvent({ color: true }, loud, null)).toBe("\u001b[31ma b\u001b[39m");
});
