import { afterEach, describe, expect, it } from "vitest";
import { reviewsOf } from "../../core/task/documents/review.ts";
import type { Task } from "../../core/task/task.ts";
import { openEngineWorld, type EngineWorld } from "../../testing/engine/engine-world.ts";
import { readDiff } from "./read-diff.ts";

let world: EngineWorld;
afterEach(() => world.close());

const COMMENTS = [{ file: "greeting.txt", line: 1, severity: "critical", comment: "Whom does it greet?" }];

/** A feature that was reviewed twice: the first reviewer asked for changes. */
async function runReviewedFeature(): Promise<Task> {
  const reports: Readonly<Record<string, object>> = {
    plan: { outcome: "plan_complete", plan: "p", plan_summary: "s", subtasks: [], files: ["greeting.txt"] },
    implement: { outcome: "implemented", summary: "Greets." },
    request_changes: { outcome: "implemented", summary: "Done." },
  };
  const files: Readonly<Record<string, object>> = {
    implement: { "greeting.txt": "hello, first\n", "run.sh": "#!/bin/sh\n", "logo.bin": "a\u0000b" },
    request_changes: { "greeting.txt": "hello, second\n" },
  };
  world = await openEngineWorld({
    settings: "gates: { plan: auto }\n",
    script: async ({ name, role, run }) => {
      if (name !== "agent") return { exitCode: 0, output: "1 test passed" };
      if (role === "request_changes") await world.repo.commit({ "other.txt": "somebody else's\n" });
      const review =
        run === 0
          ? { outcome: "changes_requested", summary: "No.", comments: COMMENTS }
          : { outcome: "approved", summary: "Fine.", comments: [] };
      return { files: files[role] ?? {}, report: reports[role] ?? review } as object;
    },
  });
  return world.drain((await world.submit({ pipeline: "feature" })).id);
}

describe("the diff of a task", () => {
  it("has its files with counts, what the diff policy found, and the risk with its reason", async () => {
    const task = await runReviewedFeature();
    const diff = await readDiff(world.ports, task, null);
    expect(diff.files).toEqual([
      { path: "greeting.txt", change: "modified", insertions: 1, deletions: 1, binary: false },
      { path: "logo.bin", change: "created", insertions: 0, deletions: 0, binary: true },
      { path: "run.sh", change: "created", insertions: 1, deletions: 0, binary: false },
    ]);
    expect(diff.patch).toContain("+hello, second");
    expect(diff.findings).toMatchObject([{ rule: "binary_file", severity: "warning", path: "logo.bin" }]);
    expect(diff).toMatchObject({ cut: false, risk: { level: "high", reasons: ["contains a binary file"] } });
    expect(diff.readingMinutes).toBeGreaterThan(0);
  });

  it("since the last review has only what changed in its files after that commit", async () => {
    const task = await runReviewedFeature();
    const reviewed = reviewsOf(task)[0]?.commit ?? "?";
    const { reviewedCommit } = await readDiff(world.ports, task, null);
    expect(reviewedCommit).toBe(reviewed);
    const diff = await readDiff(world.ports, task, reviewed);
    expect(diff.patch).toContain("-hello, first\n+hello, second");
    expect(diff.files.map(({ path }) => path)).toEqual(["greeting.txt"]);
  });

  it("refuses a commit that no review is about, and an ended task", async () => {
    const task = await runReviewedFeature();
    await expect(readDiff(world.ports, task, "0".repeat(40))).rejects.toMatchObject({ kind: "not_found" });
    const ended = { ...task, finishedAt: 1 };
    expect((await readDiff(world.ports, ended, null)).reviewedCommit).toBeNull();
    await expect(readDiff(world.ports, ended, reviewsOf(task)[0]?.commit ?? "")).rejects.toMatchObject({
      kind: "unavailable",
    });
  });
});
