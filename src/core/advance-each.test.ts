import { describe, expect, it } from "vitest";
import { makeOutcome } from "../testing/builders.ts";
import { builtIn, start, walk } from "../testing/walk.ts";

const improve = builtIn("improve");
const first = start(improve, { items: { list: ["tests", "types", "docs"], at: 0, scheduled: 1, tried: [] } });
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
      outcome: "no_improvement",
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
    expect(now.task).toMatchObject({ state: "abandoned", status: "failed", outcome: "abandoned", items: { at: 2 } });
    expect(now.task.reason).toBe(
      ["tests", "types", "docs"].map((item) => `${item}: no changes (limit "retry" of 2 used up)`).join("\n"),
    );
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

  it("keeps why each item came to nothing, and how much was looked at", () => {
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

  it("ends at once when the night is over", () => {
    const over = makeOutcome("night_over");
    expect(walk(improve, first, [over]).task).toMatchObject({ state: "no_improvement", status: "succeeded" });
    const tried = walk(improve, first, [found, empty, empty, empty]);
    expect(walk(improve, tried, [over]).task).toMatchObject({ state: "abandoned", status: "failed" });
  });

  it("waits for money where a change is under way, and where only runs under way hold it", () => {
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
    "takes %s of the implementer for one of its tries",
    (name) => {
      const again = walk(improve, first, [found, makeOutcome(name)]);
      expect(again.next).toMatchObject({ state: "implementing", role: "implement" });
      expect(again.task).toMatchObject({ waitingFor: null, counters: { retry: 1 } });
    },
  );
});
