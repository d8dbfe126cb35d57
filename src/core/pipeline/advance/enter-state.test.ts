import { describe, expect, it } from "vitest";
import { makeOutcome, makeTask } from "../../../testing/builders.ts";
import { builtIn, paramsFor } from "../../../testing/walk.ts";
import { endState, enterState, goToEnd, type EnterParams } from "./enter-state.ts";
import { WAIT_KINDS, type Pipeline, type State } from "../pipeline.ts";

const chore = builtIn("chore");

function entering(pipeline: Pipeline, to: string, more: Partial<EnterParams> = {}): EnterParams {
  const now = {
    task: makeTask({ planHash: "p1", counters: { repair: 1, "implementing:timeout": 1, "checking:park": 2 } }),
    events: [],
    next: null,
  };
  return { ...paramsFor(pipeline, now, makeOutcome("implemented")), to, role: null, trigger: null, ...more };
}

function withStates(...states: readonly (Partial<State> & { readonly name: string })[]): Pipeline {
  const blank = { when: null, else: null, on: {}, workspace: "continue", agent: {} };
  // Contains only the states that the tests enter. The parser would reject this pipeline.
  return {
    ...chore,
    states: Object.fromEntries(states.map((state) => [state.name, { ...blank, ...state }])) as Pipeline["states"],
  };
}

describe("enterState()", () => {
  it("resets the failure counters of the state that is left, and nothing else", () => {
    expect(enterState(entering(chore, "checking")).task.counters).toEqual({ repair: 1, "checking:park": 2 });
    const again = enterState(entering(chore, "implementing", { again: true }));
    expect(again.task.counters).toMatchObject({ "implementing:timeout": 1 });
  });

  it("fails the task if the state does not exist", () => {
    const move = enterState(entering(chore, "nowhere"));
    expect(move).toMatchObject({
      next: null,
      waitingFor: null,
      end: { status: "failed", reason: "pipeline chore has no state nowhere" },
    });
  });

  it("does not loop forever in a cycle of conditions", () => {
    const step = { kind: "checks" } as const;
    const when = { fact: "forge", holds: true } as const;
    const circle = withStates({ name: "a", step, when, else: "b" }, { name: "b", step, when, else: "a" });
    expect(enterState(entering(circle, "a")).end).toMatchObject({ status: "failed" });
  });

  it.each(WAIT_KINDS)("waits for %s without data of another wait", (kind) => {
    const target = { to: "done", ask: null, limit: null, else: null, when: null, role: null, next: null };
    const move = enterState(
      entering(withStates({ name: "gate", step: { kind: "wait", for: kind }, on: { chosen: [target] } }), "gate"),
    );
    expect(move).toMatchObject({ next: null, end: null, waitingFor: { kind, since: 1_001 } });
    if (move.waitingFor?.kind === "approval") expect(move.waitingFor.planHash).toBe("p1");
    if (move.waitingFor?.kind === "choice") expect(move.waitingFor.options.map(({ id }) => id)).toEqual(["done"]);
  });
});

describe("goToEnd()", () => {
  it("goes to the first end state with this status", () => {
    expect(goToEnd(entering(chore, ""), "cancelled", "no longer needed")).toMatchObject({
      task: { state: "cancelled" },
      end: { status: "cancelled", reason: "no longer needed" },
    });
  });

  it("ends the task in its current state if there is no such end state", () => {
    const none = withStates({ name: "implementing", step: { kind: "agent", role: "implement" } });
    expect(endState(none, "failed")).toBeNull();
    expect(goToEnd(entering(none, ""), "failed", "broke")).toMatchObject({
      task: { state: "implementing" },
      end: { status: "failed" },
    });
  });
});
