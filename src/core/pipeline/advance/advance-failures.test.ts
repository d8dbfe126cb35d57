import { describe, expect, it } from "vitest";
import { makeOutcome } from "../../../testing/builders.ts";
import { builtIn, parsed, runIdAt, start, walk } from "../../../testing/walk.ts";
import type { OutcomeName } from "../../outcomes/outcome.ts";
import type { Advance } from "./advance.ts";
import type { Pipeline } from "../pipeline.ts";

const chore = builtIn("chore");
const first = start(chore);
const at = first.task.updatedAt + 1;

function after(...names: readonly OutcomeName[]) {
  return walk(
    chore,
    first,
    names.map((name, index) => makeOutcome(name, { summary: `${name} ${index + 1}` })),
  );
}

describe("advance: parked runs", () => {
  it.each<[OutcomeName, string, number]>([
    ["usage_limit", "quota", 60_000],
    ["provider_down", "provider", 60_000],
    ["login_expired", "login", 60_000],
    ["agent_missing", "program", 60_000],
    ["night_over", "budget", 60_000],
    ["budget_reserved", "budget", 60_000],
    // Runs are not admitted while the disk is full, so a short delay is enough.
    ["disk_full", "capacity", 2_000],
  ])("%s waits for %s and does not count as an attempt", (name, kind, delayMs) => {
    const { task, next } = after(name);
    expect(task).toMatchObject({ state: "implementing", status: "queued", queuedFor: { kind, until: at + delayMs } });
    expect(next).toMatchObject({ role: "implement", attempt: 1, notBefore: at + delayMs });
    expect(next?.trigger).toEqual({ kind: "resume", text: `${name} 1`, run: runIdAt(first.task) });
  });

  it.each<[OutcomeName]>([["usage_limit"], ["night_over"]])("%s waits for the reset if it is known", (name) => {
    const { next } = walk(chore, first, [makeOutcome(name, { retryAt: 5_000_000 })]);
    expect(next?.notBefore).toBe(5_000_000);
  });

  it.each(["remote", "machine"] as const)("provider_down can wait for %s, and the task says why", (kind) => {
    const down = makeOutcome("provider_down", { summary: "It is gone.", payload: { waits_for: kind } });
    const { task, next } = walk(chore, first, [down]);
    expect(task.queuedFor).toEqual({ kind, until: next?.notBefore, reason: "It is gone." });
    expect(next?.attempt).toBe(1);
  });

  it("are retried after 1, 2, 4 … 30 minutes, without a limit and without counting as attempts", () => {
    let now = first;
    const minutes = Array.from({ length: 8 }, () => {
      now = walk(chore, now, [makeOutcome("provider_down")]);
      return ((now.next?.notBefore ?? 0) - now.task.updatedAt) / 60_000;
    });
    expect(minutes).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
    expect(now.next?.attempt).toBe(1);
  });

  it("keep the original trigger", () => {
    const checks = makeOutcome("checks_failed", { payload: { details: "a.ts:1" } });
    const now = walk(chore, first, [
      makeOutcome("implemented"),
      checks,
      makeOutcome("usage_limit"),
      makeOutcome("interrupted"),
    ]);
    expect(now.next?.trigger).toMatchObject({ kind: "resume", text: "a.ts:1" });
  });
});

describe("advance: failures that are retried once", () => {
  it.each<[OutcomeName]>([["timeout"], ["invalid_output"]])("%s is retried once, then the task fails", (name) => {
    expect(after(name).next).toMatchObject({ state: "implementing", role: "implement", attempt: 2 });
    expect(after(name, name).task).toMatchObject({
      status: "failed",
      outcome: name,
      reason: `${name} 2 (tried 2 times)`,
    });
  });

  it("resumes after a timeout, and includes the problem of an invalid report", () => {
    expect(after("timeout").next?.trigger).toEqual({ kind: "resume", text: "timeout 1", run: runIdAt(first.task) });
    expect(after("invalid_output").next?.trigger).toMatchObject({ kind: "report", text: "invalid_output 1" });
  });

  it("context_too_long is retried once in a fresh session, then a person decides", () => {
    expect(after("context_too_long").next).toMatchObject({ attempt: 2, trigger: { kind: "resume", run: null } });
    expect(after("context_too_long", "context_too_long").task.waitingFor).toMatchObject({
      kind: "choice",
      reason: "context_too_long 2 (tried 2 times)",
    });
  });

  it("an outcome without an edge is an invalid report", () => {
    const now = after("published");
    expect(now.next?.trigger).toMatchObject({
      kind: "report",
      text: 'state "implementing" has no edge for outcome "published" (it has: implemented, no_changes, needs_info, conflict)',
    });
    expect(after("published", "invalid_output").task.status).toBe("failed");
  });

  it("the retry is available again after the task left the state", () => {
    const now = after("timeout", "implemented", "checks_failed", "timeout");
    expect(now.next).toMatchObject({ state: "implementing", attempt: 4 });
  });
});

/** The delay before each next run, in seconds. */
function delays(pipeline: Pipeline, names: readonly OutcomeName[], from: Advance = start(pipeline)): number[] {
  let now = from;
  return names.map((name, index) => {
    now = walk(pipeline, now, [makeOutcome(name, { summary: `${name} ${index}` })]);
    return now.next?.notBefore == null ? 0 : (now.next.notBefore - now.task.updatedAt) / 1_000;
  });
}

describe("advance: delays after failures", () => {
  it.each(["timeout", "invalid_output", "context_too_long", "interrupted", "agent_error"] as const)(
    "no step is repeated at once after %s",
    (name) => expect(delays(chore, [name])).toEqual([2]),
  );

  it("an edge that a person wrote has the same delay, which grows until a run succeeds", () => {
    const edge = "{ to: implementing, limit: { mine: 9 }, else: failed }";
    const own = parsed(
      `
name: own
start: implementing
states:
  implementing:
    agent: implement
    on: { implemented: checking, no_changes: failed, agent_error: ${edge}, timeout: ${edge} }
  checking:
    checks: true
    on: { checks_passed: done, checks_failed: ${edge}, policy_failed: failed }
  done: { end: succeeded }
  failed: { end: failed }
  cancelled: { end: cancelled }
`,
      "own",
    );
    expect(delays(own, ["agent_error", "timeout", "agent_error"])).toEqual([2, 4, 8]);
    expect(delays(own, ["agent_error", "implemented", "checks_failed", "timeout"])).toEqual([2, 0, 0, 2]);
  });

  it("the next item of a list waits as well, so that broken runs do not use up all items at once", () => {
    const improve = builtIn("improve");
    const list = { list: ["tests", "types", "docs", "security"], at: 0, scheduled: 1, tried: [] };
    const failures = Array.from({ length: 7 }, () => "agent_error" as const);
    expect(delays(improve, failures, start(improve, { items: list }))).toEqual([2, 4, 8, 16, 32, 60, 60]);
  });
});

it("advance: a timeout of the whole task ends a list at once, without trying its other items", () => {
  const improve = builtIn("improve");
  const items = { list: ["tests", "docs"], at: 0, scheduled: 1, tried: [] };
  const used = makeOutcome("timeout", { summary: "limits.task_timeout is used up", payload: { final: true } });
  expect(walk(improve, start(improve, { items }), [used])).toMatchObject({
    next: null,
    task: { status: "failed", state: "abandoned", outcome: "abandoned", reason: "limits.task_timeout is used up" },
  });
});

describe("advance: agent_error", () => {
  it("is retried after 2 and 4 seconds, then the task fails", () => {
    expect(after("agent_error").task.queuedFor).toEqual({ kind: "backoff", until: at + 2_000 });
    const second = after("agent_error", "agent_error");
    expect(second.task.queuedFor).toEqual({ kind: "backoff", until: second.task.updatedAt + 4_000 });
    expect(second.next).toMatchObject({ attempt: 3, trigger: { kind: "retry", text: "agent_error 2" } });
    expect(after("agent_error", "agent_error", "agent_error").task.reason).toBe("agent_error 3 (tried 3 times)");
  });

  it("is not retried if the same error occurs twice in a row", () => {
    const same = makeOutcome("agent_error", { summary: "exit 1" });
    const now = walk(chore, first, [same, same]);
    expect(now.task).toMatchObject({ status: "failed", reason: "exit 1 (the same error twice in a row; not retried)" });
  });
});

describe("advance: interrupted", () => {
  const lost = makeOutcome("interrupted", { summary: "the supervisor is gone" });

  it("does not count the first three times, and the run is resumed", () => {
    const now = walk(chore, first, [lost, lost, lost]);
    expect(now.next).toMatchObject({ state: "implementing", attempt: 1, trigger: { kind: "resume" } });
  });

  it("counts as an attempt from the fourth time, until no attempts are left", () => {
    const fourth = walk(chore, first, [lost, lost, lost, lost]);
    expect(fourth.next).toMatchObject({ attempt: 2, notBefore: fourth.task.updatedAt + 16_000 });
    const sixth = walk(chore, fourth, [lost, lost]);
    expect(sixth.task).toMatchObject({ status: "failed", outcome: "interrupted" });
    expect(sixth.task.reason).toBe("the supervisor is gone (interrupted 6 times) (tried 3 times)");
  });

  it("starts counting again after the task left the state", () => {
    const now = walk(chore, first, [lost, lost, lost, makeOutcome("implemented"), lost]);
    expect(now.next).toMatchObject({ state: "checking", step: "checks", attempt: 1 });
  });
});

describe("advance: conflicts", () => {
  it("go to the agent twice, then a person chooses", () => {
    expect(after("conflict").next).toMatchObject({ state: "implementing", trigger: { kind: "conflict" } });
    const third = after("conflict", "conflict", "conflict").task;
    expect(third).toMatchObject({ status: "waiting", waitingFor: { kind: "choice" } });
  });
});

describe("advance: failures that are not retried", () => {
  it.each<[OutcomeName]>([["setup_failed"], ["sandbox_refused"], ["publish_refused"], ["no_changes"]])(
    "%s fails the task",
    (name) => {
      expect(after(name).task).toMatchObject({ state: "failed", status: "failed", outcome: name, reason: `${name} 1` });
    },
  );

  it.each<[OutcomeName]>([["refused"], ["budget_exhausted"]])("%s asks a person", (name) => {
    expect(after(name).task).toMatchObject({
      state: "implementing",
      status: "waiting",
      waitingFor: { kind: "choice", reason: `${name} 1` },
    });
  });

  it("switches to the fallback agent instead of waiting for the quota, once", () => {
    const limited = makeOutcome("usage_limit", { retryAt: 9_000 });
    const handed = walk(chore, start(chore), [limited], { fallbackAgent: "codex" });
    expect(handed.task).toMatchObject({ state: "implementing", status: "queued", queuedFor: null });
    expect(handed.task.options).toMatchObject({ agent: "codex", model: null });
    expect(handed.next).toMatchObject({ role: "implement", attempt: 1, notBefore: null, trigger: { run: null } });
    // There is no further fallback, so the task waits for the second agent's quota.
    const both = walk(chore, handed, [limited]);
    expect(both.task.queuedFor).toMatchObject({ kind: "quota", until: 9_000 });
  });
});
