import { expect, it } from "vitest";
import { ownPath } from "./own-path.ts";

it.each([
  ["/", "/"],
  ["/tasks/task_1/diff?file=a%2Fb#L3", "/tasks/task_1/diff?file=a%2Fb#L3"],
  ["/inbox?next=https://evil.example", "/inbox?next=https://evil.example"],
  ["/a/../tasks", "/tasks"],
])("ownPath accepts %j", (path, expected) => expect(ownPath(path)).toBe(expected));

it.each([
  null,
  "",
  "tasks",
  "https://evil.example",
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "/x/..//evil.example",
  "/./%2e//evil.example",
  "javascript:alert(1)",
  " /tasks",
  "/a\u0000",
])("ownPath refuses %j", (path) => expect(ownPath(path)).toBeNull());
