import { expect, it } from "vitest";
import type { EntryEvent } from "./entry.ts";
import { EntryList } from "./entry-list.ts";

const SECOND = 1000;

/** Lines of 100 bytes, a second apart unless `gapMs` says otherwise. */
function read(events: readonly EntryEvent[], { first = 0, gapMs = SECOND } = {}): EntryList {
  const list = new EntryList();
  for (const [index, event] of events.entries())
    list.add({
      offset: first + index * 100,
      at: new Date(index * gapMs).toISOString(),
      from: "stdout",
      command: "agent",
      events: [event],
    });
  return list;
}

const text = (value: string, partial = false): EntryEvent => ({ type: "text", text: value, partial });
const call = (id: string, name = "Bash", input: unknown = {}): EntryEvent => ({ type: "tool_call", id, name, input });
const result = (id: string, failed = false): EntryEvent => ({ type: "tool_result", id, output: `of ${id}`, failed });
const textsOf = (list: EntryList) => list.entries.map((entry) => (entry.kind === "text" ? entry.text : entry.kind));

it("partial texts become one text, and later remarks become texts of their own", () => {
  expect(textsOf(read([text("Hel", true), text("lo", true), text(" there")]))).toEqual(["Hello there"]);
  expect(textsOf(read([text("one"), text("two")]))).toEqual(["one\ntwo"]);
  expect(textsOf(read([text("one"), text("two")], { gapMs: 5 * SECOND }))).toEqual(["one", "two"]);
});

it("a result belongs to its call, also if several calls run at once", () => {
  const { entries } = read([call("a"), call("b"), result("b", true), result("a")]);
  expect(entries).toMatchObject([
    { kind: "tool", result: { output: "of a", failed: false } },
    { kind: "tool", result: { output: "of b", failed: true } },
  ]);
});

it("a result whose call was not read is shown by itself", () => {
  expect(read([result("a")]).entries).toMatchObject([{ kind: "result", result: { output: "of a" } }]);
});

it("the line of a result leads to its call", () => {
  const list = read([call("a"), text("meanwhile"), result("a"), text("then")]);
  expect([0, 100, 200, 300].map((offset) => list.indexOf(offset))).toEqual([0, 1, 0, 2]);
});

it("a call of report_outcome is a claim, and its result says whether it was valid", () => {
  const report = { outcome: "implemented" };
  const { entries } = read([call("a", "mcp__nightshift__report_outcome", report), result("a", true)]);
  expect(entries).toMatchObject([{ kind: "report", value: report, isValid: false }]);
});

it("a message that repeats the report as JSON is shown once", () => {
  const value = { outcome: "implemented", summary: "done" };
  const list = read([text('```json\n{"summary": "done", "outcome": "implemented"}\n```'), { type: "outcome", value }]);
  expect(list.entries.map(({ kind }) => kind)).toEqual(["report"]);
});

it("an error that is repeated is shown once, and usage not at all", () => {
  const error: EntryEvent = { type: "error", message: "overloaded", failure: null };
  expect(read([error, { type: "usage" }, error, text("again"), error]).entries.map(({ kind }) => kind)).toEqual([
    "error",
    "text",
    "error",
  ]);
});

it("entries further down are the same, wherever reading started", () => {
  const many = Array.from({ length: 600 }, (_, index) => text(`line ${index}`));
  const whole = read(many);
  const part = read(many.slice(100), { first: 10_000 });
  const keys = part.entries.map(({ key }) => key);
  expect(keys.length).toBeGreaterThan(2);
  expect(whole.entries.map(({ key }) => key)).toEqual(expect.arrayContaining(keys.slice(1)));
});

it("entries are replaced and not changed, so that what did not change keeps its identity", () => {
  const list = new EntryList();
  const line = { from: "stdout", command: "agent", at: new Date(0).toISOString() } as const;
  list.add({ ...line, offset: 0, events: [text("before"), call("a")] });
  const [before, open] = [...list.entries];
  list.add({ ...line, offset: 100, events: [result("a")] });
  expect(list.entries[0]).toBe(before);
  expect(list.entries[1]).not.toBe(open);
});
