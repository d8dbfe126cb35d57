import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Task } from "../core/task/task.ts";
import type { TaskDraft } from "../core/task/task-draft.ts";
import { ADA, openEngineWorld, type EngineWorld } from "../testing/engine/engine-world.ts";
import { startDependents } from "./reconcile/start-dependents.ts";

let world: EngineWorld;
/** The files that the next plan names. */
let files: readonly string[];
let asks: boolean;
let crashes: boolean;

beforeEach(async () => {
  files = ["greeting.txt"];
  asks = false;
  crashes = false;
  world = await openEngineWorld({
    settings: "gates: { plan: auto }\nchecks:\n  test: { command: make test }\n",
    script: ({ name, role, run }) => {
      if (name !== "agent") return {};
      if (role === "plan")
        return { report: { outcome: "plan_complete", plan: "Greet.", plan_summary: "s", subtasks: ["Greet"], files } };
      if (role === "review") return { report: { outcome: "approved", summary: "Fine.", comments: [] } };
      if (crashes) return { exitCode: 1 };
      if (asks) {
        const questions = [{ id: "name", question: "Whom?", input: "text" }];
        return { report: { outcome: "needs_info", summary: "Whom?", questions } };
      }
      return { files: { "greeting.txt": `hi ${run}\n` }, report: { outcome: "implemented", summary: "greets" } };
    },
  });
});
afterEach(() => world.close());

async function read(id: string): Promise<Task> {
  const task = await world.ports.store.tasks.getTask(id);
  if (task === null) throw new Error(`no task ${id}`);
  return task;
}

/** A feature whose plan is written, so that its next run is the implementation. */
async function planned(title: string, draft: Partial<TaskDraft> = {}): Promise<Task> {
  const { id } = await world.submit({ pipeline: "feature", title, ...draft });
  await world.step(id);
  return read(id);
}

async function tick(id: string): Promise<Task> {
  await startDependents(world.ports);
  return read(id);
}

const waitsFor = (other: Task) => ({
  status: "queued",
  state: "implementing",
  queuedFor: {
    kind: "dependency",
    reason: `It waits for ${other.id} (${other.title}): both plans name greeting.txt.`,
    overlap: { task: other.id, files: ["greeting.txt"] },
  },
});

describe("two tasks whose plans name the same file", () => {
  it("work one after the other, and the second one starts by itself when the first one is published", async () => {
    const first = await planned("First");
    expect(first).toMatchObject({ state: "implementing", queuedFor: null });
    const second = await planned("Second");
    expect(second).toMatchObject(waitsFor(first));
    expect(await world.step(second.id)).toBeNull();
    for (const role of ["implement", null, null]) {
      expect(await tick(second.id)).toMatchObject(waitsFor(first));
      expect(await world.step(first.id)).toMatchObject({ role });
    }
    expect(await read(first.id)).toMatchObject({ state: "reviewing" });
    expect(await tick(second.id)).toMatchObject({ status: "queued", queuedFor: null });
    expect(await world.drain(second.id)).toMatchObject({ state: "merging" });
  });

  it("a task of other files does not wait", async () => {
    await planned("First");
    files = ["README.md"];
    expect(await planned("Second")).toMatchObject({ state: "implementing", queuedFor: null });
  });

  it("a cancelled or failed task no longer blocks the other one", async () => {
    const first = await planned("First");
    const second = await planned("Second");
    await world.commands.cancel(first.id, ADA);
    expect(await tick(second.id)).toMatchObject({ queuedFor: null });
  });

  it("a task that waits for a person does not block, and waits itself when it continues meanwhile", async () => {
    asks = true;
    const first = await planned("First");
    const second = await planned("Second");
    await world.step(first.id);
    expect(await read(first.id)).toMatchObject({ status: "waiting" });
    expect(await tick(second.id)).toMatchObject({ queuedFor: null });
    asks = false;
    const answered = await world.commands.answer(first.id, { name: "Bob" }, ADA);
    expect(answered).toMatchObject(waitsFor(second));
    await world.drain(second.id);
    expect(await tick(first.id)).toMatchObject({ queuedFor: null });
    expect(await world.drain(first.id)).toMatchObject({ state: "merging" });
  });

  it("a paused task does not block", async () => {
    const first = await planned("First");
    const second = await planned("Second");
    await world.commands.pause(first.id, ADA);
    expect(await tick(second.id)).toMatchObject({ queuedFor: null });
  });

  it("of several that wait, the oldest starts first and the next one waits for it", async () => {
    const first = await planned("First");
    const second = await planned("Second");
    const third = await planned("Third");
    await world.commands.cancel(first.id, ADA);
    expect(await tick(second.id)).toMatchObject({ queuedFor: null });
    expect(await read(third.id)).toMatchObject(waitsFor(second));
  });

  it("work at the same time if a person says so, for the task or with retry", async () => {
    const first = await planned("First");
    const second = await planned("Second");
    expect(second).toMatchObject(waitsFor(first));
    expect(await world.commands.retry(second.id, null, ADA)).toMatchObject({ queuedFor: null });
    expect(await world.step(second.id)).toMatchObject({ role: "implement" });
    await world.commands.cancel(second.id, ADA);
    expect(await planned("Third", { allowOverlap: true })).toMatchObject({ state: "implementing", queuedFor: null });
  });

  it("a task that already works keeps its turn when its step is repeated", async () => {
    const first = await planned("First");
    const second = await planned("Second");
    await world.commands.retry(second.id, null, ADA);
    crashes = true;
    await world.step(first.id);
    expect(await read(first.id)).toMatchObject({ state: "implementing", queuedFor: { kind: "backoff" } });
  });

  it("never both start if they enter the state at the same moment", async () => {
    const tasks = [await planned("First"), await planned("Second")];
    for (const { id } of tasks) await world.commands.cancel(id, ADA);
    const retried = await Promise.all(tasks.map(({ id }) => world.commands.retry(id, { from: "implementing" }, ADA)));
    expect(retried.filter(({ queuedFor }) => queuedFor === null)).toHaveLength(1);
  });
});

it("a task that waits for a dependency and then for files starts when both allow it", async () => {
  const first = await world.submit({ pipeline: "feature", title: "First" });
  const after = await world.submit({ pipeline: "chore", title: "After", after: [first.id] });
  await world.step(first.id);
  const second = await planned("Second");
  expect(second).toMatchObject(waitsFor(first));
  await world.commands.cancel(first.id, ADA);
  expect(await tick(after.id)).toMatchObject({ status: "waiting", waitingFor: { about: "dependency" } });
  expect(await read(second.id)).toMatchObject({ queuedFor: null });
});
