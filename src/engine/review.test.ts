import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { reviewsOf, verdictFor } from "../core/task/documents/review.ts";
import type { Task } from "../core/task/task.ts";
import { openEngineWorld, type EngineWorld } from "../testing/engine/engine-world.ts";
import type { ScriptedCommand, ScriptedEnd } from "../testing/engine/scripted-supervisors.ts";
import { transact } from "./transact.ts";
import { wakeTask } from "./wake-task.ts";

let world: EngineWorld;
afterEach(() => world.close());

const SETTINGS = "gates: { plan: auto }\nchecks:\n  test: { command: npm test }\n";
const APPROVED = { outcome: "approved", summary: "Fine.", comments: [] };
const COMMENTS = [
  { file: "missing.txt", line: 700, severity: "suggestion", comment: "Is this file used?" },
  { file: "greeting.txt", line: 1, severity: "critical", comment: "Whom does it greet?" },
];
const REQUESTED = { outcome: "changes_requested", summary: "Not yet.", comments: COMMENTS };

type Play = (command: ScriptedCommand) => ScriptedEnd | Promise<ScriptedEnd>;

/** A feature whose plan is approved by itself. `review` plays the reviewer. */
async function runFeature(review: Play, more: Readonly<Record<string, Play>> = {}): Promise<Task> {
  const roles: Readonly<Record<string, Play>> = {
    plan: () => ({
      report: { outcome: "plan_complete", plan: "THE PLAN", plan_summary: "s", subtasks: [], files: ["greeting.txt"] },
    }),
    implement: ({ run }) => ({
      files: { "greeting.txt": `hello, world ${run}\n` },
      report: { outcome: "implemented", summary: "Greets the world." },
    }),
    request_changes: ({ run }) => ({
      files: { "greeting.txt": `hello, changed ${run}\n` },
      report: {
        outcome: "implemented",
        summary: "Handled the comments.",
        comments_answered: [{ comment: 1, answer: `ANSWER ${run}` }],
      },
    }),
    review,
    ...more,
  };
  world = await openEngineWorld({
    settings: SETTINGS,
    script: (command) =>
      command.name === "agent" ? (roles[command.role]?.(command) ?? {}) : { exitCode: 0, output: "1 test passed" },
  });
  return world.drain((await world.submit({ pipeline: "feature" })).id);
}

async function promptOf(task: string, role: string): Promise<string> {
  const run = (await world.runs(task)).findLast((each) => each.role === role);
  return readFile(join(world.ports.runFiles.dir(run?.id ?? ""), "prompt.md"), "utf8");
}

describe("the reviewer of a feature", () => {
  it("sees the task, the plan, the diff of one commit and the check results, and its approval counts for that commit", async () => {
    const task = await runFeature(() => ({ report: APPROVED }));
    expect(task).toMatchObject({ state: "merging", waitingFor: { kind: "merge" } });
    expect(verdictFor(task, task.headCommit)).toMatchObject({ verdict: "approved", commit: task.headCommit });
    const prompt = await promptOf(task.id, "review");
    for (const part of [task.description, "THE PLAN", "+hello, world 0", "test: passed", task.headCommit ?? "?"])
      expect(prompt).toContain(part);
    expect(prompt).not.toContain("Review 1 of");
  });

  it("reviews the commit that was published, even if the base branch moved meanwhile", async () => {
    const task = await runFeature(() => ({ report: APPROVED }), {
      implement: async () => {
        // Committed after the implementer's workspace was made.
        await world.repo.commit({ "other.txt": "new\n" });
        return { files: { "greeting.txt": "hi\n" }, report: { outcome: "implemented", summary: "Done." } };
      },
    });
    const checked = (await world.runs(task.id)).findLast(({ step }) => step === "checks");
    expect(checked?.payload?.["commit"]).toBe(task.headCommit);
    expect(verdictFor(task, task.headCommit)?.verdict).toBe("approved");
  });

  it("passes every comment on to the author, and the author's answers on to the next reviewer", async () => {
    const task = await runFeature(({ run }) => ({ report: run === 0 ? REQUESTED : APPROVED }));
    expect(task.state).toBe("merging");
    const requested = await promptOf(task.id, "request_changes");
    expect(requested).toContain("1. [critical] greeting.txt:1: Whom does it greet?");
    expect(requested).toContain("2. [suggestion] missing.txt:700: Is this file used?");
    const second = await promptOf(task.id, "review");
    expect(second).toContain("1. [critical] greeting.txt:1: Whom does it greet?\n   What the author did: ANSWER 0");
    expect(second).toContain("+hello, changed 0");
    const [first, last] = reviewsOf(task);
    expect(first).toMatchObject({ verdict: "changes_requested", comments: [{ answer: "ANSWER 0" }, { answer: null }] });
    expect(last).toMatchObject({ verdict: "approved", commit: task.headCommit });
    expect(first?.commit).not.toBe(last?.commit);
  });

  it("asks for changes three times at most, and then a person sees at the merge gate that nothing was approved", async () => {
    const task = await runFeature(() => ({ report: REQUESTED }));
    expect(task).toMatchObject({ state: "merging", status: "waiting" });
    expect(world.supervisors.started.filter((each) => each === "agent:request_changes")).toHaveLength(3);
    expect(verdictFor(task, task.headCommit)?.verdict).toBe("changes_requested");
  });

  it.each([
    ["writes no report", {}],
    ["fails", { exitCode: 1 }],
    ["reports something else", { report: { outcome: "implemented", summary: "I fixed it myself." } }],
    ["approves a critical problem", { report: { ...APPROVED, comments: [COMMENTS[1]] } }],
    ["approves another commit", { report: { ...APPROVED, commit: "0".repeat(40) } }],
  ])("gives no approval if it %s", async (_what, end) => {
    const task = await drainRetries(await runFeature(() => end));
    expect(task).toMatchObject({ state: "merging", status: "waiting" });
    expect(verdictFor(task, task.headCommit)).toBeNull();
  });

  it("gives no approval for a commit that came while it looked at the one before", async () => {
    const moved = "1".repeat(40);
    const task = await runFeature(async ({ run }) => {
      const [open] = await world.ports.store.tasks.listOpenRuns();
      if (run === 0)
        await transact(world.ports, open?.task ?? "", null, (now) => ({
          advance: { task: { ...now, headCommit: moved }, events: [], next: null },
        }));
      return { report: APPROVED };
    });
    expect(task).toMatchObject({ state: "reviewing", status: "queued", headCommit: moved });
    expect(verdictFor(task, moved)).toBeNull();
    expect(reviewsOf(task)).toEqual([]);
  });
});

it("an author who reports a verdict on its own work approves nothing", async () => {
  const task = await drainRetries(
    await runFeature(() => ({ report: APPROVED }), {
      implement: () => ({ files: { "greeting.txt": "hi\n" }, report: APPROVED }),
    }),
  );
  expect(task).toMatchObject({ status: "failed", outcome: "invalid_output" });
  expect([reviewsOf(task), verdictFor(task, task.headCommit)]).toEqual([[], null]);
});

/** Executes the retries of a failed run without waiting for their delay. */
async function drainRetries(task: Task): Promise<Task> {
  let now = task;
  for (let tries = 0; now.status === "queued" && tries < 5; tries += 1) {
    await transact(world.ports, task.id, null, (parked) => wakeTask(world.ports, parked, "woken by the test"));
    now = await world.drain(task.id);
  }
  return now;
}
