import { describe, expect, it } from "vitest";
import { checkDependencies, type Dependency } from "./dependencies.ts";
import type { TaskStatus } from "./task.ts";

function dependency(id: string, status: TaskStatus | null): Dependency {
  return { id, task: status === null ? null : { title: `Title of ${id}`, status } };
}

describe("checkDependencies", () => {
  it.each([
    ["no dependency", []],
    ["only succeeded ones", [dependency("task_a", "succeeded")]],
  ])("is ready with %s", (_title, dependencies) => {
    expect(checkDependencies(dependencies)).toEqual({ kind: "ready" });
  });

  it.each(["queued", "running", "waiting", "paused"] as const)(
    "waits for a %s task and names only those that have not succeeded",
    (status) => {
      const check = checkDependencies([dependency("task_a", "succeeded"), dependency("task_b", status)]);
      expect(check).toEqual({ kind: "wait", reason: "It starts when task_b (Title of task_b) succeeded." });
    },
  );

  it.each([
    ["failed", "task_b (Title of task_b), which failed"],
    ["cancelled", "task_b (Title of task_b), which was cancelled"],
    [null, "task_b, which was deleted"],
  ] as const)("is blocked by a task that is %s, even while another one still runs", (status, named) => {
    const check = checkDependencies([dependency("task_a", "running"), dependency("task_b", status)]);
    expect(check).toEqual({ kind: "blocked", reason: `It was to start after ${named}.` });
  });
});
