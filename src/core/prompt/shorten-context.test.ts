import fc from "fast-check";
import { expect, it } from "vitest";
import { makeTask } from "../../testing/builders.ts";
import { CONTEXT_KINDS, type ContextEntry, type ContextKind } from "../task/documents/context-entry.ts";
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

it("context budget: whatever the entries and the budget, an entry is only shortened if all older ones are, and the rest stays whole", () => {
  const lengths = fc.array(fc.tuple(fc.constantFrom(...CONTEXT_KINDS), fc.integer({ min: 1, max: 1_990 })), {
    maxLength: 100,
  });
  fc.assert(
    fc.property(lengths, fc.integer({ min: 1, max: 60_000 }), (given, tokens) => {
      const context = given.map(([kind, length], at) => entry(kind, at, length));
      const task = makeTask({ context, trigger, plan, description: "d".repeat(9_000) });
      const { task: after } = shortenContext({ task, data: {} }, tokens);
      expect([after.plan, after.trigger, after.description]).toEqual([task.plan, task.trigger, task.description]);
      const feedback = context.findLast(({ kind }) => ["review_feedback", "feedback", "failed_checks"].includes(kind));
      if (feedback !== undefined) expect(after.context).toContainEqual(feedback);
      const isWhole = ({ at, summary }: ContextEntry) =>
        after.context.some((each) => each.at === at && each.summary === summary);
      const rest = context.filter((each) => each !== feedback);
      const firstWhole = rest.findIndex((each) => isWhole(each) && each.summary.length > 220);
      if (firstWhole !== -1) expect(rest.slice(firstWhole).filter((each) => !isWhole(each))).toEqual([]);
      // Nothing is dropped while another entry could be shortened.
      if (after.context.length < context.length)
        expect(after.context.filter((each) => each.summary.length > 220 && each.at !== feedback?.at)).toEqual([]);
    }),
  );
});
