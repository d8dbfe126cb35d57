import { expect, it } from "vitest";
import { isAffected } from "./refresh.ts";

const TASK = "task_k1v9abcd";
const query = (route: string, id?: string, live?: boolean) => ({
  queryKey: [route, id === undefined ? {} : { params: { id } }],
  ...(live !== undefined && { meta: { live } }),
});

it("data of a task is read again for its own events, by its full id or a prefix", () => {
  expect(isAffected(query("GET /tasks/:id", TASK), [TASK])).toBe(true);
  expect(isAffected(query("GET /tasks/:id/diff", "k1v9"), [TASK])).toBe(true);
  expect(isAffected(query("GET /tasks/:id", "task_other"), [TASK])).toBe(false);
});

it("lists and sums are read again for every event", () => {
  expect(isAffected(query("GET /tasks"), [TASK])).toBe(true);
  expect(isAffected(query("GET /status"), [""])).toBe(true);
});

it("data that cannot change is never read again", () => {
  expect(isAffected(query("GET /tasks", undefined, false), [TASK])).toBe(false);
});
