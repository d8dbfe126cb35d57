import { expect, it } from "vitest";
import { makeTask } from "../../testing/builders.ts";
import type { ContextEntry, ContextKind } from "../task/context-entry.ts";
import { shortenContext } from "./shorten-context.ts";

function entry(kind: ContextKind, at: number, length: number): ContextEntry {
  return { kind, source: "agent", summary: `${at} ${"x".repeat(length)}`, data: {}, run: `run_${at}`, at };
}

const trigger = { kind: "comments", text: "y".repeat(9_000), run: null } as const;
const plan = { plan: "p".repeat(9_000) };

function shorten(tokens: number) {
  const context = [
    entry("plan_summary", 1, 1_900),
    entry("implementation_summary", 2, 1_900),
    entry("review_feedback", 3, 1_900),
    entry("fix_summary", 4, 1_900),
  ];
  const task = makeTask({ context, trigger, plan, description: "d".repeat(9_000) });
  return { before: task, after: shortenContext({ task, data: { design: "z".repeat(8_000), diff: "-" } }, tokens) };
}

it("context budget: the oldest entries are shortened first, and only as far as needed", () => {
  const { before, after } = shorten(100);
  const lengths = after.task.context.map(({ summary }) => summary.length);
  expect(lengths[0]).toBeLessThan(1_600);
  expect(after.task.context.slice(1)).toEqual(before.context.slice(1));
  expect(after.task.context[0]?.summary).toContain("[… shortened]");
});

it("context budget: entries are dropped and documents shortened if that is not enough", () => {
  const { after } = shorten(3_000);
  expect(after.task.context.map(({ kind }) => kind)).toEqual(["review_feedback"]);
  expect(after.data.design?.length).toBeLessThan(8_000);
  expect(after.data.diff).toBe("-");
});

it("context budget: the task, the plan and the newest feedback are never shortened", () => {
  const { before, after } = shorten(1_000_000);
  const { description, plan: kept, trigger: why } = after.task;
  expect({ description, plan: kept, trigger: why }).toEqual({ description: before.description, plan, trigger });
  expect(after.task.context).toEqual([before.context[2]]);
});
