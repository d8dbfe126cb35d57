import { describe, expect, it } from "vitest";
import { makeOutcome } from "../testing/builders.ts";
import { builtIn, start, walk } from "../testing/walk.ts";

const improve = builtIn("improve");
const first = start(improve, { items: { list: ["tests", "types", "docs"], at: 0 } });
const nothing = makeOutcome("no_improvement");
const found = makeOutcome("improvement_found");
const empty = makeOutcome("no_changes");

describe("a pipeline that walks a list", () => {
  it("tries one item after the other and ends well when none has anything", () => {
    expect(walk(improve, first, [nothing]).task.items?.at).toBe(1);
    const third = walk(improve, first, [nothing, nothing]);
    expect(third.next).toMatchObject({ state: "analyzing", role: "analyze", attempt: 3, trigger: null });
    expect(walk(improve, third, [nothing]).task).toMatchObject({
      state: "no_improvement",
      status: "succeeded",
      items: { at: 2 },
    });
  });

  it("counts limits anew for each item, and runs on", () => {
    const tried = walk(improve, first, [found, empty, empty]);
    expect(tried.task.counters).toEqual({ retry: 2, "ran:analyze": 1, "ran:implement": 2 });
    const second = walk(improve, tried, [empty]);
    expect(second.next).toMatchObject({ state: "analyzing_further", role: "analyze", attempt: 2 });
    expect(second.task).toMatchObject({ items: { at: 1 }, counters: { "ran:analyze": 1, "ran:implement": 3 } });
    expect(second.task.counters).not.toHaveProperty("retry");
    expect(walk(improve, second, [found, empty, empty]).task.counters["retry"]).toBe(2);
  });

  it("is abandoned when the last item has used up its tries", () => {
    const giveUp = [found, empty, empty, empty];
    const now = walk(improve, first, [...giveUp, ...giveUp, ...giveUp]);
    expect(now.task).toMatchObject({ state: "abandoned", status: "failed", items: { at: 2 } });
    expect(now.task.reason).toBe('no changes (limit "retry" of 2 used up)');
  });

  it("goes to the edge's else at once where there is no list", () => {
    expect(walk(improve, start(improve), [nothing]).task).toMatchObject({
      state: "no_improvement",
      status: "succeeded",
    });
  });

  it("shares one limit among the ways a try can fail", () => {
    const now = walk(improve, first, [found, empty, makeOutcome("implemented"), makeOutcome("checks_failed")]);
    expect(now.task).toMatchObject({ state: "implementing", counters: { retry: 2 } });
    const verified = walk(improve, now, [
      makeOutcome("implemented"),
      makeOutcome("checks_passed"),
      makeOutcome("verify_failed"),
    ]);
    expect(verified.task).toMatchObject({ state: "analyzing_further", items: { at: 1 } });
  });
});
