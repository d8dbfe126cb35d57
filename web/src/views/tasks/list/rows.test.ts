import { expect, it } from "vitest";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { listRows, moveCursor, type TaskGroup, uniqueTasks } from "./rows.ts";

// The rows need only the ids.
const task = (id: string): TaskJson => ({ id }) as TaskJson;
const group = (status: TaskGroup["status"], ids: readonly string[], rest: Partial<TaskGroup> = {}): TaskGroup => ({
  status,
  count: ids.length,
  tasks: ids.map(task),
  isFolded: false,
  hasMore: false,
  ...rest,
});

it("groups without tasks are left out, and folded ones show only their head", () => {
  const rows = listRows([
    group("running", []),
    group("waiting", ["a"], { isFolded: true }),
    group("succeeded", ["b"], { hasMore: true, count: 40 }),
  ]);
  expect(rows.map(({ key }) => key)).toEqual(["head waiting", "head succeeded", "b", "more succeeded"]);
});

it("a group that is counted but not loaded has its head and a row that loads it", () => {
  expect(listRows([group("failed", [], { count: 3, hasMore: true })]).map(({ kind }) => kind)).toEqual([
    "head",
    "more",
  ]);
});

it("the cursor moves over group heads and stops at both ends", () => {
  const rows = listRows([group("running", ["a"]), group("failed", ["b", "c"])]);
  expect(moveCursor(rows, null, 1)?.id).toBe("a");
  expect(moveCursor(rows, "a", 1)?.id).toBe("b");
  expect(moveCursor(rows, "c", 1)?.id).toBe("c");
  expect(moveCursor(rows, "b", -1)?.id).toBe("a");
  expect(moveCursor(rows, "a", -1)?.id).toBe("a");
  expect(moveCursor([], null, 1)).toBeNull();
});

it("a task that is on two pages is shown once", () => {
  const pages = [{ tasks: [task("a"), task("b")] }, { tasks: [task("b"), task("c")] }];
  expect(uniqueTasks(pages).map(({ id }) => id)).toEqual(["a", "b", "c"]);
});
