import { describe, expect, it } from "vitest";
import { makeOutcome } from "../../testing/builders.ts";
import { builtIn, runIdAt, start, walk } from "../../testing/walk.ts";
import type { OutcomeName } from "../outcomes/outcome.ts";

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

describe("parks", () => {
  it.each<[OutcomeName, string, number]>([
    ["usage_limit", "quota", 60_000],
    ["provider_down", "provider", 60_000],
    ["login_expired", "login", 60_000],
    ["agent_missing", "login", 60_000],
    ["night_over", "budget", 60_000],
    ["budget_reserved", "budget", 60_000],
    // Nothing is let in below the disk's floor, so a short wait is enough.
    ["disk_full", "capacity", 2_000],
  ])("%s waits for %s and does not count", (name, kind, delayMs) => {
    const { task, next } = after(name);
    expect(task).toMatchObject({ state: "implementing", status: "queued", queuedFor: { kind, until: at + delayMs } });
    expect(next).toMatchObject({ role: "implement", attempt: 1, notBefore: at + delayMs });
    expect(next?.trigger).toEqual({ kind: "resume", text: `${name} 1`, run: runIdAt(first.task) });
  });

  it.each<[OutcomeName]>([["usage_limit"], ["night_over"]])("%s waits for the reset where it is known", (name) => {
    const { next } = walk(chore, first, [makeOutcome(name, { retryAt: 5_000_000 })]);
    expect(next?.notBefore).toBe(5_000_000);
  });

  it("is probed after 1, 2, 4 … 30 minutes, without end and without an attempt", () => {
    let now = first;
    const minutes = Array.from({ length: 8 }, () => {
      now = walk(chore, now, [makeOutcome("provider_down")]);
      return ((now.next?.notBefore ?? 0) - now.task.updatedAt) / 60_000;
    });
    expect(minutes).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
    expect(now.next?.attempt).toBe(1);
  });

  it("keeps in mind what the run was for", () => {
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

describe("one more try", () => {
  it.each<[OutcomeName]>([["timeout"], ["invalid_output"]])("%s is tried once more, then the task fails", (name) => {
    expect(after(name).next).toMatchObject({ state: "implementing", role: "implement", attempt: 2, notBefore: null });
    expect(after(name, name).task).toMatchObject({
      status: "failed",
      outcome: name,
      reason: `${name} 2 (tried 2 times)`,
    });
  });

  it("resumes after a timeout, and tells what was wrong with a bad report", () => {
    expect(after("timeout").next?.trigger).toEqual({ kind: "resume", text: "timeout 1", run: runIdAt(first.task) });
    expect(after("invalid_output").next?.trigger).toMatchObject({ kind: "report", text: "invalid_output 1" });
  });

  it("context_too_long is tried once more in a fresh session, then a person decides", () => {
    expect(after("context_too_long").next).toMatchObject({ attempt: 2, trigger: { kind: "resume", run: null } });
    expect(after("context_too_long", "context_too_long").task.waitingFor).toMatchObject({
      kind: "choice",
      reason: "context_too_long 2 (tried 2 times)",
    });
  });

  it("an outcome that the state does not know is a bad report", () => {
    const now = after("published");
    expect(now.next?.trigger).toMatchObject({
      kind: "report",
      text: 'outcome "published" is not one that state "implementing" knows (implemented, no_changes, needs_info)',
    });
    expect(after("published", "invalid_output").task.status).toBe("failed");
  });

  it("is given anew once the task has gone on", () => {
    const now = after("timeout", "implemented", "checks_failed", "timeout");
    expect(now.next).toMatchObject({ state: "implementing", attempt: 4 });
  });
});

describe("agent_error", () => {
  it("is tried again after 2 and 4 seconds, then the task fails", () => {
    expect(after("agent_error").task.queuedFor).toEqual({ kind: "backoff", until: at + 2_000 });
    const second = after("agent_error", "agent_error");
    expect(second.task.queuedFor).toEqual({ kind: "backoff", until: second.task.updatedAt + 4_000 });
    expect(second.next).toMatchObject({ attempt: 3, trigger: { kind: "retry", text: "agent_error 2" } });
    expect(after("agent_error", "agent_error", "agent_error").task.reason).toBe("agent_error 3 (tried 3 times)");
  });

  it("that is the same twice in a row is not tried again", () => {
    const same = makeOutcome("agent_error", { summary: "exit 1" });
    const now = walk(chore, first, [same, same]);
    expect(now.task).toMatchObject({ status: "failed", reason: "exit 1 (the same twice in a row: not tried again)" });
  });
});

describe("interrupted", () => {
  const lost = makeOutcome("interrupted", { summary: "the supervisor is gone" });

  it("three times costs nothing, and the run is resumed at once", () => {
    const now = walk(chore, first, [lost, lost, lost]);
    expect(now.next).toMatchObject({ state: "implementing", attempt: 1, notBefore: null, trigger: { kind: "resume" } });
  });

  it("a fourth time spends an attempt, and no more than all of them", () => {
    const fourth = walk(chore, first, [lost, lost, lost, lost]);
    expect(fourth.next).toMatchObject({ attempt: 2, notBefore: fourth.task.updatedAt + 2_000 });
    const sixth = walk(chore, fourth, [lost, lost]);
    expect(sixth.task).toMatchObject({ status: "failed", outcome: "interrupted" });
    expect(sixth.task.reason).toBe("the supervisor is gone (interrupted 6 times) (tried 3 times)");
  });

  it("does not count once the task has gone on", () => {
    const now = walk(chore, first, [lost, lost, lost, makeOutcome("implemented"), lost]);
    expect(now.next).toMatchObject({ state: "checking", step: "checks", attempt: 1, notBefore: null });
  });
});

describe("what is not tried again", () => {
  it.each<[OutcomeName]>([["setup_failed"], ["sandbox_refused"], ["conflict"], ["no_changes"]])(
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

  it("hands over to another agent instead of waiting for the quota, once", () => {
    const limited = makeOutcome("usage_limit", { retryAt: 9_000 });
    const handed = walk(chore, start(chore), [limited], { fallbackAgent: "codex" });
    expect(handed.task).toMatchObject({ state: "implementing", status: "queued", queuedFor: null });
    expect(handed.task.options).toMatchObject({ agent: "codex", model: null });
    expect(handed.next).toMatchObject({ role: "implement", attempt: 1, notBefore: null, trigger: { run: null } });
    // Its own quota is waited for: then nobody is left.
    const both = walk(chore, handed, [limited]);
    expect(both.task.queuedFor).toEqual({ kind: "quota", until: 9_000 });
  });
});
