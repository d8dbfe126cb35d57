import { describe, expect, it } from "vitest";
import { makeOutcome } from "../../../testing/builders.ts";
import { builtIn, paramsFor, parsed, start, walk } from "../../../testing/walk.ts";
import { advance, reopen, type Advance } from "./advance.ts";
import { possibleOutcomes } from "../edges.ts";

const improve = builtIn("improve");
const first = start(improve, { items: { list: ["tests", "types", "docs"], at: 0, scheduled: 1, tried: [] } });
const nothing = makeOutcome("no_improvement");
const found = makeOutcome("improvement_found");
const empty = makeOutcome("no_changes");

describe("advance: pipeline with a list", () => {
  it("tries one item after the other and succeeds if none has a result", () => {
    expect(walk(improve, first, [nothing]).task.items?.at).toBe(1);
    const third = walk(improve, first, [nothing, nothing]);
    expect(third.next).toMatchObject({ state: "analyzing", role: "analyze", attempt: 3, trigger: null });
    expect(walk(improve, third, [nothing]).task).toMatchObject({
      state: "no_improvement",
      status: "succeeded",
      outcome: "no_improvement",
      items: { at: 2 },
    });
  });

  it("resets limits for each item but keeps counting runs", () => {
    const tried = walk(improve, first, [found, empty, empty]);
    expect(tried.task.counters).toMatchObject({ retry: 2, "ran:analyze": 1, "ran:implement": 2 });
    const second = walk(improve, tried, [empty]);
    expect(second.next).toMatchObject({ state: "analyzing_further", role: "analyze", attempt: 2 });
    expect(second.task).toMatchObject({ items: { at: 1 }, counters: { "ran:analyze": 1, "ran:implement": 3 } });
    expect(second.task.counters).not.toHaveProperty("retry");
    expect(walk(improve, second, [found, empty, empty]).task.counters["retry"]).toBe(2);
  });

  it("is abandoned when the last item has used up its attempts", () => {
    const giveUp = [found, empty, empty, empty];
    const now = walk(improve, first, [...giveUp, ...giveUp, ...giveUp]);
    expect(now.task).toMatchObject({ state: "abandoned", status: "failed", outcome: "abandoned", items: { at: 2 } });
    expect(now.task.reason).toBe(
      ["tests", "types", "docs"].map((item) => `${item}: no changes (limit "retry" of 2 used up)`).join("\n"),
    );
  });

  it("goes to the edge's `else` immediately if there is no list", () => {
    expect(walk(improve, start(improve), [nothing]).task).toMatchObject({
      state: "no_improvement",
      status: "succeeded",
    });
  });

  it("uses one limit for all failures of an attempt", () => {
    const now = walk(improve, first, [found, empty, makeOutcome("implemented"), makeOutcome("checks_failed")]);
    expect(now.task).toMatchObject({ state: "implementing", counters: { retry: 2 } });
    const verified = walk(improve, now, [
      makeOutcome("implemented"),
      makeOutcome("checks_passed"),
      makeOutcome("verify_failed"),
    ]);
    expect(verified.task).toMatchObject({ state: "analyzing_further", items: { at: 1 } });
  });

  it("passes the reason for a rejected change to the next run", () => {
    const checked = [found, makeOutcome("implemented"), makeOutcome("checks_passed")];
    const why = { summary: "It does less than was selected.", payload: { error_details: "-0.01 is missing" } };
    expect(walk(improve, first, [...checked, makeOutcome("verify_failed", why)]).next).toMatchObject({
      role: "implement",
      trigger: { kind: "verdict", text: "It does less than was selected.\n\n-0.01 is missing" },
    });
    const bare = makeOutcome("verify_failed", { summary: "It does nothing.", payload: { error_details: undefined } });
    expect(walk(improve, first, [...checked, bare]).next?.trigger?.text).toBe("It does nothing.");
  });

  it("records why each item had no result and how many files were read", () => {
    const scanned = makeOutcome("no_improvement", { payload: { reason: "all is covered", files_scanned: 12 } });
    const now = walk(improve, first, [scanned, found, empty, empty, empty, nothing]);
    expect(now.task.items?.tried).toEqual([
      { item: "tests", outcome: "no_improvement", reason: "all is covered", filesScanned: 12 },
      { item: "types", outcome: "no_changes", reason: 'no changes (limit "retry" of 2 used up)', filesScanned: null },
      { item: "docs", outcome: "no_improvement", reason: "no improvement", filesScanned: null },
    ]);
    expect(now.task).toMatchObject({ state: "abandoned", outcome: "abandoned" });
    expect(now.task.reason?.split("\n")[0]).toBe("tests: all is covered (12 files)");
  });

  it("ends immediately on `night_over`", () => {
    const over = makeOutcome("night_over");
    expect(walk(improve, first, [over]).task).toMatchObject({ state: "no_improvement", status: "succeeded" });
    const tried = walk(improve, first, [found, empty, empty, empty]);
    expect(walk(improve, tried, [over]).task).toMatchObject({ state: "abandoned", status: "failed" });
  });

  it("waits for budget if a change is in progress, or if only active runs reserve it", () => {
    const money = makeOutcome("night_over", { retryAt: 5_000_000 });
    for (const outcomes of [
      [found],
      [found, makeOutcome("implemented"), makeOutcome("checks_passed")],
      [found, makeOutcome("implemented"), makeOutcome("checks_passed"), makeOutcome("verified")],
    ]) {
      const before = walk(improve, first, outcomes);
      const { task, next } = walk(improve, before, [money]);
      expect(task).toMatchObject({ state: before.task.state, queuedFor: { kind: "budget", until: 5_000_000 } });
      expect(next).toMatchObject({ notBefore: 5_000_000, attempt: 1 });
    }
    const held = walk(improve, first, [makeOutcome("budget_reserved")]);
    expect(held.task).toMatchObject({ state: "analyzing", status: "queued", queuedFor: { kind: "budget" } });
  });

  it.each(["agent_error", "timeout", "invalid_output", "refused", "needs_info"] as const)(
    "counts %s of the implement role as one of its attempts",
    (name) => {
      const again = walk(improve, first, [found, makeOutcome(name)]);
      expect(again.next).toMatchObject({ state: "implementing", role: "implement" });
      expect(again.task).toMatchObject({ waitingFor: null, counters: { retry: 1 } });
    },
  );
});

/** The same task with a change on its branch. */
function withChange({ task, ...rest }: Advance): Advance {
  return { ...rest, task: { ...task, baseCommit: "base", headCommit: "change", branch: "night-shift/it" } };
}

const GIVEN_UP = [found, empty, empty, empty];

describe("advance: work of an item that was given up", () => {
  const last = withChange(walk(improve, first, [found, empty, empty]));

  it("is not the base of the next item, and neither is its branch", () => {
    const { task, next } = walk(improve, last, [empty]);
    expect(next).toMatchObject({ state: "analyzing_further", role: "analyze" });
    expect(task).toMatchObject({ items: { at: 1 }, baseCommit: "base", headCommit: "base", branch: null });
  });

  it("is kept if it was the last item", () => {
    const atEnd = withChange(walk(improve, first, [...GIVEN_UP, ...GIVEN_UP, found, empty, empty]));
    expect(walk(improve, atEnd, [empty]).task).toMatchObject({ state: "abandoned", headCommit: "change" });
  });

  it("is dropped if the pipeline continues after the end of the list", () => {
    const text = `name: x
start: looking
each: category
states:
  looking: { agent: analyze, on: { improvement_found: done, no_improvement: { next: category, to: looking, else: making } } }
  making: { agent: implement, on: { implemented: done, no_changes: failed } }
  done: { end: succeeded }
  failed: { end: failed }
  cancelled: { end: cancelled }
`;
    const pipeline = parsed(text, "x");
    const items = { list: ["tests"], at: 0, scheduled: 1, tried: [] };
    const { task } = walk(pipeline, withChange(start(pipeline, { items })), [nothing]);
    expect(task).toMatchObject({ state: "making", headCommit: "base", branch: null });
  });
});

describe("advance: failing runs in a nightly task", () => {
  const implemented = [found, makeOutcome("implemented"), makeOutcome("checks_passed")];
  const broken = ["agent_error", "timeout", "invalid_output", "context_too_long"] as const;

  it.each(broken)("repeats the analysis once after %s, then continues and does not succeed", (name) => {
    const breaks = makeOutcome(name);
    const once = walk(improve, first, [breaks]);
    expect(once).toMatchObject({ next: { state: "analyzing" }, task: { items: { at: 0, tried: [] } } });
    const second = walk(improve, once, [breaks]);
    expect(second).toMatchObject({ next: { state: "analyzing_further", trigger: null }, task: { items: { at: 1 } } });
    expect(second.task.items?.tried).toMatchObject([{ item: "tests", outcome: name }]);
    const all = walk(improve, second, [breaks, breaks, breaks, breaks]);
    expect(all.task).toMatchObject({ state: "abandoned", status: "failed", outcome: "abandoned" });
    expect(all.task.reason?.split("\n")).toHaveLength(3);
    expect(all.task.reason).toContain(`docs: ${breaks.summary}`);
    expect(walk(improve, second, [nothing, nothing]).task).toMatchObject({ state: "abandoned", status: "failed" });
  });

  it.each(broken)("repeats the verification once after %s, then implements the change again", (name) => {
    for (const outcomes of [implemented, [...implemented, makeOutcome("verified")]]) {
      const before = walk(improve, first, outcomes);
      const once = walk(improve, before, [makeOutcome(name)]);
      expect(once).toMatchObject({ next: { state: before.task.state }, task: { items: { at: 0 } } });
      const twice = walk(improve, once, [makeOutcome(name)]);
      expect(twice).toMatchObject({ next: { state: "implementing" }, task: { counters: { retry: 1 } } });
    }
  });

  it("ends when the task's own budget is spent", () => {
    const spent = makeOutcome("budget_exhausted");
    expect(walk(improve, first, [nothing, spent]).task).toMatchObject({
      state: "no_improvement",
      reason: spent.summary,
    });
    const ways = [GIVEN_UP, [found], implemented, [...implemented, makeOutcome("verified")]];
    for (const way of ways) expect(walk(improve, walk(improve, first, way), [spent]).task.state).toBe("abandoned");
  });

  it("never waits for a person, whatever the outcomes are", () => {
    for (const { name: state, step } of Object.values(improve.states))
      for (const name of possibleOutcomes(step)) {
        // Only agents have a session that can be too long.
        if (step.kind !== "agent" && (name === "context_too_long" || name === "budget_exhausted")) continue;
        // Only tasks that wait for the merge follow their branch.
        if (name === "branch_updated" || name === "branch_rewritten") continue;
        // Needs `proof: true` in the pipeline's policy.
        if (name === "not_proven" && !improve.policy.proof) continue;
        let now: Advance = { ...first, task: { ...first.task, state } };
        for (let times = 0; times < 5 && now.task.state === state; times += 1)
          now = advance(paramsFor(improve, now, makeOutcome(name)));
        expect([state, name, now.task.status]).not.toContain("waiting");
      }
  });
});

describe("advance: nightly task that is retried", () => {
  const ended = withChange(walk(improve, first, [nothing, ...GIVEN_UP, ...GIVEN_UP]));
  const again = (state: string): Advance => reopen(paramsFor(improve, ended, makeOutcome("retry")), state);

  it.each(["analyzing", "analyzing_further"])("from %s starts the list again", (state) => {
    expect(ended.task).toMatchObject({ status: "failed", items: { at: 2 } });
    const { task, next } = again(state);
    expect(next).toMatchObject({ state: "analyzing", role: "analyze", trigger: null });
    expect(task).toMatchObject({ status: "queued", items: { at: 0, tried: [] }, branch: null, headCommit: "base" });
  });

  it("from another state continues with its last item and records it once", () => {
    const { task, next } = again("implementing");
    expect(next).toMatchObject({ state: "implementing", trigger: { kind: "retry" } });
    expect(task).toMatchObject({ items: { at: 2 }, branch: "night-shift/it", headCommit: "change" });
    expect(task.items?.tried.map(({ item }) => item)).toEqual(["tests", "types"]);
    const { reason } = walk(improve, again("implementing"), [empty, empty, empty]).task;
    expect(reason?.split("\n").map((line) => line.split(":")[0])).toEqual(["tests", "types", "docs"]);
  });
});
