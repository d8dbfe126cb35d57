import { describe, expect, test } from "vitest";
import type { TaskJson } from "../../http/client/client.ts";
import { textWidth } from "../print/terminal/fit-text.ts";
import { describeEmptyQueue, filterFor, tasksTable } from "./queue.ts";

function task(more: Partial<TaskJson>): TaskJson {
  const base = { project: "shop", pipeline: "improve", waiting_for: null, queued_for: null, change_request: null };
  const times = { created_at: new Date(Date.now() - 3 * 60_000).toISOString() };
  // The table does not depend on the other fields of a task.
  return { ...base, ...times, ...more } as unknown as TaskJson;
}

const request = (state: "open" | "merged" | "closed", number: number) => ({
  number,
  url: `https://forge.example/${number}`,
  state,
  head: null,
  base: null,
  ended_at: null,
});

const TASKS = [
  task({
    id: "task_3k9x2f7m1q",
    short_id: "task_3k9x2f",
    title: "Explain the price parser, 日本語のタイトル 👍, and many other things that need more room",
    state: "published",
    status: "succeeded",
    change_request: request("merged", 7),
  }),
  task({
    id: "task_7fw65dkav4",
    short_id: "task_7fw65d",
    title: "Keep the sign",
    state: "plan_review",
    status: "waiting",
    waiting_for: { kind: "approval", since: "2026-11-16T02:00:00.000Z", plan_hash: null, document: null, reasons: [] },
  }),
  task({
    id: "task_sw6m45qvhn",
    short_id: "task_sw6m45",
    title: "Test the cart",
    state: "published",
    status: "succeeded",
    change_request: request("closed", 12),
  }),
];

describe.each([60, 80, 120, 200])("queue: in a terminal of %i columns", (width) => {
  test("each task is one line with its short id, its status and what became of its change request", () => {
    const lines = tasksTable({ color: false, width }, TASKS).trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
    expect(lines[1]).toMatch(/^task_3k9x2f .*succeeded .*7 merged .*Explain the pr/);
    expect(lines[2]).toMatch(/^task_7fw65d .*waiting .*approval .*Keep the sign$/);
    expect(lines[3]).toMatch(/^task_sw6m45 .*succeeded .*12 closed .*Test the cart$/);
  });
});

test("queue: in a terminal of 40 columns each task is one line, too", () => {
  const waiting = TASKS.filter((each) => each.change_request === null);
  for (const tasks of [TASKS, waiting]) {
    const lines = tasksTable({ color: false, width: 40 }, tasks).trimEnd().split("\n");
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(40);
    expect(lines).toHaveLength(tasks.length + 1);
  }
  expect(tasksTable({ color: false, width: 40 }, waiting)).toMatch(/^task_7fw65d  waiting  approval  Keep/m);
});

test("queue: in a pipe, ids and titles are complete", () => {
  const text = tasksTable({ color: false }, TASKS);
  for (const { id, title } of TASKS) expect(text).toMatch(new RegExp(`^${id} .* 3 min ago {2}${title}$`, "m"));
});

test("queue: an empty answer names the filter, so that it does not claim that there are no tasks at all", () => {
  expect(describeEmptyQueue(null, undefined)).toBe('There are no tasks. Run "nightshift submit" to create one.\n');
  expect(describeEmptyQueue("shop", undefined)).toMatch(/^There are no tasks of project shop\. /);
  expect(describeEmptyQueue("shop", "failed")).toBe(
    'There are no tasks with status failed of project shop. Run "nightshift queue" to list all tasks.\n',
  );
  expect(describeEmptyQueue(null, "checking")).toMatch(/^There are no tasks with state checking\. /);
});

test.each([
  ["running", { status: "running" }],
  ["staged", { state: "staged" }],
  ["committed", { state: "running", status: "queued" }],
])("queue: --status %s asks for %j", (word, filter) => {
  expect(filterFor(word)).toEqual(filter);
});
