import { describe, expect, it } from "vitest";
import { makeOutcome, makeTask } from "../../../testing/builders.ts";
import { ADA, builtIn, NO_FACTS, paramsFor, parsed, runIdAt, start, walk } from "../../../testing/walk.ts";
import { advance, begin, reopen, type Advance } from "./advance.ts";
import { SYSTEM } from "../../task/event.ts";

const chore = builtIn("chore");
const FORGE = { facts: { ...NO_FACTS, forge: true } };

const implemented = makeOutcome("implemented");
const checksFailed = makeOutcome("checks_failed", { summary: "lint failed", payload: { details: "a.ts:1 no-var" } });

function typesOf({ events }: Advance): readonly string[] {
  return events.map(({ type }) => type);
}

describe("begin()", () => {
  it("starts the first run in the pipeline's start state", () => {
    const { task, next } = start(chore);
    expect(task).toMatchObject({ state: "implementing", status: "queued", waitingFor: null, queuedFor: null });
    expect(next).toEqual({
      state: "implementing",
      step: "agent",
      role: "implement",
      attempt: 1,
      notBefore: null,
      trigger: null,
    });
  });

  it("skips a start state whose condition is false", () => {
    expect(start(builtIn("feature")).next).toMatchObject({ state: "planning", role: "plan" });
    const designed = start(builtIn("feature"), {}, { facts: { ...NO_FACTS, design: true } });
    expect(designed.next).toMatchObject({ state: "designing", role: "design" });
  });

  it("does not count a run", () => {
    const task = makeTask();
    expect(begin(paramsFor(chore, { task, events: [], next: null }, makeOutcome("retry"))).task.counters).toEqual({});
  });
});

describe("advance: pipeline chore", () => {
  it("goes from implementing through checks and publishing to done without a forge", () => {
    const now = walk(chore, start(chore), [
      implemented,
      makeOutcome("checks_passed"),
      makeOutcome("published", { summary: "on a branch" }),
    ]);
    expect(now.task).toMatchObject({ state: "done", status: "succeeded", outcome: "published", reason: "on a branch" });
    expect(now.next).toBeNull();
  });

  it("is reviewed and merged with a forge", () => {
    const reviewed = walk(
      chore,
      start(chore),
      [implemented, makeOutcome("checks_passed"), makeOutcome("published")],
      FORGE,
    );
    expect(reviewed.next).toMatchObject({ state: "reviewing", role: "review" });
    const merging = walk(chore, reviewed, [makeOutcome("approved")], FORGE);
    expect(merging.task).toMatchObject({ state: "merging", status: "waiting", waitingFor: { kind: "merge" } });
    const merged = walk(chore, merging, [makeOutcome("merged")], FORGE);
    expect(merged.task).toMatchObject({ state: "done", status: "succeeded" });
  });

  it("handles requested changes in the role that the edge sets", () => {
    const wishes = makeOutcome("changes_requested", { summary: "rename it" });
    const now = walk(
      chore,
      start(chore),
      [implemented, makeOutcome("checks_passed"), makeOutcome("published"), wishes],
      FORGE,
    );
    expect(now.next).toMatchObject({ state: "implementing", role: "request_changes", attempt: 1 });
    expect(now.next?.trigger).toMatchObject({ kind: "comments", text: "rename it" });
    expect(now.task.counters).toMatchObject({ review: 1, "ran:implement": 1 });
  });

  it.each(["changes_requested", "ci_failed", "comments_received"] as const)(
    "%s starts a round with fresh repairs, and the rounds have their own limit",
    (name) => {
      const again = [implemented, checksFailed, implemented, checksFailed, implemented, checksFailed];
      const publish = [implemented, makeOutcome("checks_passed"), makeOutcome("published")];
      const request = name === "changes_requested" ? [makeOutcome(name)] : [makeOutcome("approved"), makeOutcome(name)];
      let now = start(chore);
      for (const round of [1, 2, 3]) {
        now = walk(chore, now, [...again, ...publish, ...request], FORGE);
        expect(now.task, `round ${round}`).toMatchObject({ state: "implementing", status: "queued" });
        expect(now.task.counters).not.toHaveProperty("repair");
      }
      now = walk(chore, now, [...again, ...publish, ...request], FORGE);
      expect(now.task).toMatchObject({ state: "merging", status: "waiting" });
    },
  );

  it("a person's review starts rounds with fresh repairs, without a limit and without using up the agents' rounds", () => {
    const merging = [implemented, makeOutcome("checks_passed"), makeOutcome("published"), makeOutcome("approved")];
    let now = start(chore);
    for (const round of [1, 2, 3, 4, 5]) {
      now = walk(chore, now, [implemented, checksFailed, ...merging, makeOutcome("changes_requested")], FORGE);
      expect(now.next, `round ${round}`).toMatchObject({ state: "implementing", role: "request_changes" });
      expect(now.task.counters).not.toHaveProperty("repair");
      expect(now.task.counters).not.toHaveProperty("review");
    }
  });

  it("a round that is limited by the repairs themselves does not reset them", () => {
    const own = parsed(
      `name: own
start: implementing
states:
  implementing: { agent: implement, on: { implemented: reviewing } }
  reviewing:
    agent: review
    on: { approved: done, changes_requested: { to: implementing, limit: { repair: 2 }, else: failed } }
  done: { end: succeeded }
  failed: { end: failed }
  cancelled: { end: cancelled }
`,
      "own",
    );
    const round = [implemented, makeOutcome("changes_requested")];
    const now = walk(own, start(own), [...round, ...round, ...round]);
    expect(now.task.status).toBe("failed");
  });

  it("repairs three times, then fails with a reason", () => {
    let now = start(chore);
    for (const repair of [1, 2, 3]) {
      now = walk(chore, now, [implemented]);
      const checks = runIdAt(now.task);
      now = walk(chore, now, [checksFailed]);
      expect(now.next).toMatchObject({ state: "implementing", role: "implement", attempt: repair + 1 });
      expect(now.next?.trigger).toEqual({ kind: "errors", text: "a.ts:1 no-var", run: checks });
      expect(now.task.counters["repair"]).toBe(repair);
    }
    now = walk(chore, now, [implemented, checksFailed]);
    expect(now.task).toMatchObject({ state: "failed", status: "failed", outcome: "checks_failed" });
    expect(now.task.reason).toBe('lint failed (limit "repair" of 3 used up)');
    const repeated = ["failed_checks", "fix_summary"];
    expect(now.task.context.map(({ kind }) => kind)).toEqual([
      "implementation_summary",
      ...repeated,
      ...repeated,
      ...repeated,
      "failed_checks",
    ]);
  });

  it("can pass its checks after the last repair", () => {
    const repair = [implemented, checksFailed];
    const now = walk(chore, start(chore), [...repair, ...repair, ...repair, implemented, makeOutcome("checks_passed")]);
    expect(now.next).toMatchObject({ state: "publishing", step: "publish" });
  });

  it("uses one counter for checks and policy, and applies the setting that overrides the limit", () => {
    const policy = makeOutcome("policy_failed");
    const now = walk(chore, start(chore), [implemented, checksFailed, implemented, policy, implemented], {
      limits: { repair: 2 },
    });
    expect(now.task.counters["repair"]).toBe(2);
    expect(walk(chore, now, [checksFailed], { limits: { repair: 2 } }).task.status).toBe("failed");
    expect(walk(chore, start(chore), [implemented, checksFailed], { limits: { repair: 0 } }).task.status).toBe(
      "failed",
    );
  });
});

describe("advance: paused and ended tasks", () => {
  it("keeps a paused task paused and creates its next run", () => {
    const now = start(chore);
    const paused = walk(chore, { ...now, task: { ...now.task, status: "paused" } }, [implemented]);
    expect(paused.task.status).toBe("paused");
    expect(paused.next).toMatchObject({ state: "checking", step: "checks" });
  });

  it("lets a paused task wait or end", () => {
    const now = start(chore);
    const paused: Advance = { ...now, task: { ...now.task, status: "paused" } };
    expect(walk(chore, paused, [makeOutcome("refused")]).task.status).toBe("waiting");
    expect(walk(chore, paused, [makeOutcome("cancel")]).task).toMatchObject({
      status: "cancelled",
      state: "cancelled",
    });
  });

  it("can cancel a waiting task", () => {
    const waiting = walk(chore, start(chore), [makeOutcome("needs_info")]);
    expect(walk(chore, waiting, [makeOutcome("cancel", { summary: "not needed" })]).task).toMatchObject({
      status: "cancelled",
      reason: "not needed",
      waitingFor: null,
    });
  });
});

describe("reopen()", () => {
  const repairedOnce = walk(chore, start(chore), [
    implemented,
    checksFailed,
    makeOutcome("timeout"),
    makeOutcome("timeout"),
  ]);

  it("continues at the given state, with limits reset and runs still counted", () => {
    expect(repairedOnce.task).toMatchObject({ status: "failed", counters: { repair: 1, "ran:implement": 3 } });
    const again = reopen(
      paramsFor(chore, repairedOnce, makeOutcome("retry", { summary: "retried by ada" })),
      "checking",
    );
    expect(again.task).toMatchObject({
      state: "checking",
      status: "queued",
      outcome: null,
      reason: null,
      finishedAt: null,
    });
    expect(again.task.counters).toEqual({ "ran:implement": 3, "ran:checks": 1 });
    expect(again.next).toMatchObject({
      step: "checks",
      attempt: 2,
      trigger: { kind: "retry", text: "retried by ada", run: null },
    });
    expect(again.events).toMatchObject([
      { type: "task.state", actor: ADA, data: { from: "failed", to: "checking", outcome: "retry" } },
    ]);
  });

  it("ignores questions from before the end: a later choice is not their reply", () => {
    const proposal = makeOutcome("options_proposed", {
      payload: { options: [{ id: "failed", title: "A", description: "a" }] },
    });
    const cancelled = walk(chore, start(chore), [proposal, makeOutcome("cancel")]);
    const again = reopen(paramsFor(chore, cancelled, makeOutcome("retry")), "implementing");
    const now = walk(chore, again, [makeOutcome("refused"), makeOutcome("chosen", { payload: { option: "failed" } })]);
    expect(now.task).toMatchObject({ status: "failed", conversation: [{ reply: null }] });
  });
});

describe("advance: events", () => {
  it("record a transition once, with the system as actor if a run caused it", () => {
    const { events } = advance({ ...paramsFor(chore, start(chore), implemented), at: 77 });
    expect(events).toEqual([
      {
        at: 77,
        task: "task_0000000001",
        run: "run_1001",
        type: "task.state",
        level: "info",
        actor: SYSTEM,
        summary: "implementing → checking (implemented)",
        data: { from: "implementing", to: "checking", outcome: "implemented" },
      },
    ]);
  });

  it("record a wait, a delay and an end", () => {
    expect(typesOf(walk(chore, start(chore), [makeOutcome("needs_info")]))).toEqual(["task.state", "task.waiting"]);
    expect(typesOf(walk(chore, start(chore), [makeOutcome("usage_limit")]))).toEqual(["task.queued"]);
    const failed = walk(chore, start(chore), [makeOutcome("no_changes")]);
    expect(typesOf(failed)).toEqual(["task.state", "task.ended"]);
    expect(failed.events[1]).toMatchObject({
      level: "error",
      summary: "failed: no changes",
      data: { status: "failed", outcome: "no_changes" },
    });
  });

  it("do not record the repetition of a step as a change of state", () => {
    expect(typesOf(walk(chore, start(chore), [makeOutcome("timeout")]))).toEqual(["task.queued"]);
  });
});

describe("advance: condition of a state", () => {
  const text = `
name: small
start: implementing
states:
  implementing:
    agent: implement
    on: { implemented: reviewing, no_changes: { to: reviewing, role: plan_revision } }
  reviewing:
    when: forge
    else: planning
    agent: plan
    on: { plan_complete: done }
  planning: { agent: plan, on: { plan_complete: done } }
  done: { end: succeeded }
  failed: { end: failed }
  cancelled: { end: cancelled }
`;
  const small = parsed(text, "small");

  it("if false, the edge's role does not apply to the state that is entered instead", () => {
    expect(walk(small, start(small), [makeOutcome("no_changes")]).next).toMatchObject({
      state: "planning",
      role: "plan",
    });
    expect(walk(small, start(small), [makeOutcome("no_changes")], FORGE).next).toMatchObject({
      state: "reviewing",
      role: "plan_revision",
    });
  });

  it("is evaluated when the state is entered, not when its step is repeated", () => {
    const inside = walk(small, start(small), [implemented], FORGE);
    expect(walk(small, inside, [makeOutcome("timeout")]).next).toMatchObject({ state: "reviewing", role: "plan" });
  });
});
