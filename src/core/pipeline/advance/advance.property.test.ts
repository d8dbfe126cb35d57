import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeOutcome } from "../../../testing/builders.ts";
import { checkEveryStep, pickFrom, someFacts, someItems, somePipeline } from "../../../testing/random-steps.ts";
import { builtIn, paramsFor, start } from "../../../testing/walk.ts";
import { advance, type Advance, type AdvanceParams } from "./advance.ts";
import { defaultEdge, possibleOutcomes } from "../edges.ts";
import { FREE_INTERRUPTIONS } from "../../outcomes/failure-outcomes.ts";
import { OUTCOMES, PEOPLE_OUTCOMES, type OutcomeName } from "../../outcomes/outcome.ts";
import type { Pipeline, Target } from "../pipeline.ts";
import { isListDone } from "../items.ts";
import { hasEnded, type Task } from "../../task/task.ts";

const PARKS: readonly OutcomeName[] = [
  "usage_limit",
  "provider_down",
  "login_expired",
  "agent_missing",
  "disk_full",
  "night_over",
  "setup_failed",
  "budget_reserved",
];

/** The named limits of the pipeline file. */
function limitsOf({ states }: Pipeline): ReadonlyMap<string, number> {
  return new Map(Object.values(states).flatMap(({ on }) => Object.values(on).flat().flatMap(limitsAlong)));
}

function limitsAlong(target: Target): readonly (readonly [string, number])[] {
  const own = target.limit === null ? [] : [[target.limit.name, target.limit.max] as const];
  return target.else === null || typeof target.else === "string" ? own : [...own, ...limitsAlong(target.else)];
}

function numberIn(numbers: Readonly<Record<string, number>>, name: string): number | undefined {
  return Object.entries(numbers).find(([key]) => key === name)?.[1];
}

function runCounts({ counters }: Task): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counters).filter(([name]) => name.startsWith("ran:")));
}

function counts({ task, outcome, run, pipeline }: AdvanceParams): boolean {
  if (run === null || hasEnded(task)) return false;
  const here = pipeline.states[task.state];
  const isLostTooOften =
    outcome.name === "interrupted" &&
    (task.counters[`${task.state}:interrupted`] ?? 0) >= FREE_INTERRUPTIONS &&
    here !== undefined &&
    defaultEdge("interrupted", here.step) !== null;
  return isLostTooOften || ![...PARKS, "interrupted", "cancel"].includes(outcome.name);
}

/** All outcomes of the current step that do not park it. Each has a new summary, so that no error repeats. */
function moves(pipeline: Pipeline, now: Advance): readonly AdvanceParams[] {
  const here = pipeline.states[now.task.state];
  const names = here === undefined ? [] : possibleOutcomes(here.step);
  return names
    .filter((name) => !PARKS.includes(name) && !PEOPLE_OUTCOMES.some((each) => each === name))
    .map((name) => paramsFor(pipeline, now, makeOutcome(name, { summary: `${name} ${now.task.updatedAt}` })));
}

describe("advance: for any sequence of outcomes", () => {
  it("the task is in a state of the pipeline", () => {
    checkEveryStep(({ task, next }, { pipeline }) => {
      expect(Object.keys(pipeline.states)).toContain(task.state);
      if (next !== null) expect(next.state).toBe(task.state);
    });
  });

  it.each(OUTCOMES)("a task whose state is not in the pipeline fails on %s with a reason", (name) => {
    const chore = builtIn("chore");
    const now = start(chore);
    const { task } = advance(paramsFor(chore, { ...now, task: { ...now.task, state: "nowhere" } }, makeOutcome(name)));
    expect(task).toMatchObject({ status: "failed", state: "failed", reason: "pipeline chore has no state nowhere" });
  });

  it("no named limit is exceeded, neither the file's value nor its override", () => {
    checkEveryStep(({ task }, { pipeline, limits }) => {
      for (const [name, max] of limitsOf(pipeline))
        expect(numberIn(task.counters, name) ?? 0).toBeLessThanOrEqual(numberIn(limits, name) ?? max);
    });
  });

  it("an ended task stays ended and has a time, a reason and an outcome", () => {
    checkEveryStep((after, { task: before, outcome, at }) => {
      if (hasEnded(before)) expect(after).toEqual({ task: before, events: [], next: null });
      else if (hasEnded(after.task)) {
        // When a list ends in an end state, the name of that state is the outcome.
        const { items } = after.task;
        const walked = items !== null && items.tried.length !== before.items?.tried.length && isListDone(after.task);
        const name = walked ? after.task.state : outcome.name;
        expect(after.task).toMatchObject({ finishedAt: at, outcome: name, reason: expect.any(String) });
      } else expect(after.task).toMatchObject({ finishedAt: null, outcome: null, reason: null });
    });
  });

  it("only end states have an ended status, which is that of the state", () => {
    checkEveryStep(({ task }, { pipeline }) => {
      const step = pipeline.states[task.state]?.step;
      expect(hasEnded(task)).toBe(step?.kind === "end");
      if (step?.kind === "end") expect(task.status).toBe(step.status);
    });
  });

  it("there is exactly one of a run, a wait or an end, and the status matches it", () => {
    checkEveryStep(({ task, next }, { task: before }) => {
      expect([next !== null, task.waitingFor !== null, hasEnded(task)].filter(Boolean)).toHaveLength(1);
      if (task.waitingFor !== null) expect(task.status).toBe("waiting");
      if (next !== null) expect(task.status).toBe(before.status === "paused" ? "paused" : "queued");
      if (task.queuedFor !== null) expect(next?.notBefore).toBe(task.queuedFor.until);
    });
  });

  it("attempts increase by one with each counted run of a role", () => {
    checkEveryStep(({ task, next }, params) => {
      const before = runCounts(params.task);
      const who = `ran:${params.run?.role ?? params.run?.step}`;
      expect(runCounts(task)).toEqual(counts(params) ? { ...before, [who]: (before[who] ?? 0) + 1 } : before);
      if (next !== null) expect(next.attempt).toBe((task.counters[`ran:${next.role ?? next.step}`] ?? 0) + 1);
    });
  });

  it("every transition has one event with its source, target and outcome", () => {
    checkEveryStep(({ task, events, next }, { task: before, outcome }) => {
      const types = events.map(({ type }) => type);
      const isMove = !hasEnded(before) && (next === null || before.state !== task.state);
      if (isMove) expect(types).toContain("task.state");
      expect(new Set(types).size).toBe(types.length);
      for (const { type, data } of events)
        if (type === "task.state") expect(data).toEqual({ from: before.state, to: task.state, outcome: outcome.name });
      expect(types.includes("task.ended")).toBe(hasEnded(task) && !hasEnded(before));
      expect(types.includes("task.waiting")).toBe(task.waitingFor !== null);
      expect(types.includes("task.queued")).toBe(task.queuedFor !== null);
    });
  });
});

describe("advance: without people and parked runs", () => {
  /** Upper bound for the runs of a state's step before the task leaves it, with all retries used. */
  const MAX_ATTEMPTS = 12;

  function maxSteps(pipeline: Pipeline, items: number): number {
    const backwards = [...limitsOf(pipeline).values()].reduce((sum, max) => sum + max, 1);
    return Object.keys(pipeline.states).length * MAX_ATTEMPTS * backwards * (items + 1);
  }

  it("a task ends or waits for a person, even in the worst case", () => {
    let longest = 0;
    fc.assert(
      fc.property(
        somePipeline,
        someItems,
        someFacts,
        fc.infiniteStream(fc.nat(9_999)),
        (pipeline, items, facts, picks) => {
          let now = start(pipeline, { items }, { facts });
          let steps = 0;
          const limit = maxSteps(pipeline, items?.list.length ?? 0);
          while (now.next !== null) {
            const ahead = moves(pipeline, now).map((params) => advance({ ...params, facts }));
            // Prefer outcomes that keep the task going, because random ones would end it soon.
            const going = ahead.filter(({ next }) => next !== null);
            now = pickFrom(going.length > 0 ? going : ahead, picks.next().value ?? 0);
            steps += 1;
            expect(steps).toBeLessThanOrEqual(limit);
          }
          longest = Math.max(longest, steps);
        },
      ),
      { numRuns: 40 },
    );
    expect(longest).toBeGreaterThan(20);
  });
});
