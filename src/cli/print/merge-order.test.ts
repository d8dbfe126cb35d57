import { expect, test } from "vitest";
import type { TaskJson } from "../../http/client/client.ts";
import { describeMergeOrder } from "./merge-order.ts";

type Branch = NonNullable<TaskJson["merge_order"]>["branches"][number];

const SCREEN = { color: false, width: 80 };

function branch(task: string, title: string, more: Partial<Branch> = {}): Branch {
  const base = { short_id: task.slice(0, 8), branch: `agent/${task}`, commit: "a".repeat(40) };
  return { task, title, ...base, target_conflicts: [], conflicts: [], ...more };
}

function describe(branches: Branch[], leftOut = 0): string {
  const merge_order = { target: "main", branches, left_out: leftOut };
  return describeMergeOrder(SCREEN, { id: "task_aaaaaaaa", merge_order });
}

test("merge order: names each branch, its conflicts and their files", () => {
  const first = branch("task_bbbbbbbb", "Log in");
  const files = ["1", "2", "3", "4", "5", "6", "7"];
  const second = branch("task_aaaaaaaa", "Log \u001b[31mout", {
    conflicts: [{ task: "task_bbbbbbbb", files }],
    target_conflicts: ["src/a.ts"],
  });
  expect(describe([first, second], 2)).toBe(
    [
      "  1. task_bbb  Log in",
      "  2. task_aaa (this task)  Log \\u001b[31mout",
      "     conflicts with main: src/a.ts",
      "     conflicts with task_bbb: 1, 2, 3, 4, 5 and 2 more",
      "  2 older branches were not compared",
      "",
    ].join("\n"),
  );
});

test("merge order: is not shown if there is nothing to decide", () => {
  expect(describe([branch("task_aaaaaaaa", "Log in")])).toBe("");
  expect(describeMergeOrder(SCREEN, { id: "task_aaaaaaaa", merge_order: null })).toBe("");
});
