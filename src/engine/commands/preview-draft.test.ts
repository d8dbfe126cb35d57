import { afterEach, expect, it } from "vitest";
import type { TaskDraft } from "../../core/task/task-draft.ts";
import { SAMPLE_DRAFT } from "../../testing/builders.ts";
import { type EngineWorld, type EngineWorldOptions, openEngineWorld } from "../../testing/engine/engine-world.ts";
import { ADA } from "../../testing/walk.ts";
import { previewDraft } from "./preview-draft.ts";

let world: EngineWorld;
afterEach(() => world.close());

async function open(options: Partial<EngineWorldOptions> = {}): Promise<void> {
  world = await openEngineWorld({ script: () => ({}), ...options });
}

const preview = (draft: Partial<TaskDraft>, rights: readonly ("submit" | "approve")[] = ["submit"]) =>
  previewDraft(world.ports, { ...SAMPLE_DRAFT, ...draft }, { ...ADA, rights });

async function keysOf(draft: Partial<TaskDraft>): Promise<readonly string[]> {
  return (await preview(draft)).problems.map(({ key }) => key);
}

it("a preview has the steps with agents and limits, and stores nothing", async () => {
  await open({ settings: "repair_attempts: 2\n" });
  const { steps, problems, isHeld } = await preview({ pipeline: "feature", budgetUsd: 4 });
  expect(problems).toEqual([]);
  expect(isHeld).toBe(false);
  expect(steps.map(({ state }) => state)).toContain("plan_review");
  expect(steps.find(({ state }) => state === "implementing")).toMatchObject({
    role: "implement",
    timeoutMs: 600_000,
    maxUsd: 4,
  });
  expect(steps.find(({ state }) => state === "checking")).toMatchObject({ limits: [{ name: "repair", max: 2 }] });
  expect(Object.values(await world.ports.store.tasks.countTasks())).toEqual([0, 0, 0, 0, 0, 0, 0]);
});

it("the task's budget is the smaller one of the draft and the settings", async () => {
  await open({ settings: "budget: { task_usd: 3 }\n" });
  expect((await preview({ budgetUsd: 9 })).maxUsd).toBe(3);
  expect((await preview({ budgetUsd: 2 })).maxUsd).toBe(2);
});

it("a preview ends at the state of `until`", async () => {
  await open();
  const { steps } = await preview({ pipeline: "feature", until: "plan" });
  expect(steps.map(({ state, isLast }) => [state, isLast])).toEqual([["planning", true]]);
});

it("each problem names the field that it is about, and all are reported at once", async () => {
  await open();
  expect(await keysOf({ project: "nope" })).toEqual(["project"]);
  expect(await keysOf({ pipeline: "nope" })).toEqual(["pipeline"]);
  expect(await keysOf({ agent: "nope", until: "nope", planningTimeoutMs: 1000, allowDirs: ["/tmp"] })).toEqual(
    expect.arrayContaining(["planning_timeout_ms", "allow_dirs", "until", "agent"]),
  );
  expect(await keysOf({ model: "two words" })).toEqual(["model"]);
  expect(await keysOf({ after: ["task_nope"], related: "task_nope" })).toEqual(["after", "related"]);
  expect(await keysOf({ bestOf: [{ agent: "nope", model: null }] })).toEqual(["best_of"]);
});

it("approving automatically needs the right to approve", async () => {
  await open();
  expect((await preview({ autoApprove: true })).problems).toMatchObject([{ key: "auto_approve" }]);
  expect((await preview({ autoApprove: true }, ["submit", "approve"])).problems).toEqual([]);
});

it("a task that waits for another one starts later", async () => {
  await open();
  const first = await world.submit();
  expect((await preview({ after: [first.id] })).isHeld).toBe(true);
});
