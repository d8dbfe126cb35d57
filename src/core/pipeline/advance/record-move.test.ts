import { describe, expect, it } from "vitest";
import { makeOutcome, makeTask } from "../../../testing/builders.ts";
import { ADA, builtIn, paramsFor } from "../../../testing/walk.ts";
import type { AdvanceParams } from "./advance.ts";
import type { Move } from "./enter-state.ts";
import { SYSTEM } from "../../task/event.ts";
import { recordMove } from "./record-move.ts";

const task = makeTask({
  status: "running",
  queuedFor: { kind: "capacity", until: null },
  counters: { "ran:implement": 2 },
});
const still: Move = { task, waitingFor: null, next: null, end: null };
const run: NonNullable<Move["next"]> = { step: "agent", role: "implement", queuedFor: null, again: false };

function params(more: Partial<AdvanceParams> = {}): AdvanceParams {
  return paramsFor(
    builtIn("chore"),
    { task, events: [], next: null },
    makeOutcome("timeout", { summary: "too slow" }),
    { at: 9_000, ...more },
  );
}

describe("recordMove()", () => {
  it("creates a queued run", () => {
    const queuedFor = { kind: "backoff", until: 9_500 } as const;
    const recorded = recordMove(params(), { ...still, next: { ...run, queuedFor, again: true } });
    expect(recorded.next).toMatchObject({ state: "implementing", role: "implement", attempt: 3, notBefore: 9_500 });
    expect(recorded.task).toMatchObject({ status: "queued", queuedFor, updatedAt: 9_000 });
    expect(recorded.events).toMatchObject([
      {
        type: "task.queued",
        level: "warning",
        summary: "timeout: too slow",
        data: { kind: "backoff", until: 9_500, outcome: "timeout" },
      },
    ]);
  });

  it("clears the queue reason", () => {
    expect(recordMove(params(), { ...still, next: run }).task.queuedFor).toBeNull();
  });

  it("ends the task with status, outcome, reason and time", () => {
    const recorded = recordMove(params(), { ...still, end: { status: "failed", reason: "too slow twice" } });
    expect(recorded.task).toMatchObject({
      status: "failed",
      outcome: "timeout",
      reason: "too slow twice",
      finishedAt: 9_000,
    });
    expect(recorded.next).toBeNull();
  });

  it("uses the person as actor for decisions and the system for outcomes of runs", () => {
    const actors = [null, { id: "run_1", role: null, step: "checks" } as const].map(
      (by) => recordMove(params({ run: by }), { ...still, next: run }).events[0],
    );
    expect(actors).toMatchObject([
      { actor: ADA, run: null },
      { actor: SYSTEM, run: "run_1" },
    ]);
  });

  it("distinguishes entering the same state from repeating a step", () => {
    expect(recordMove(params(), { ...still, next: run }).events).toMatchObject([
      { type: "task.state", summary: "implementing: timeout" },
    ]);
    expect(recordMove(params(), { ...still, next: { ...run, again: true } }).events).toEqual([]);
  });
});
