import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Task } from "../../core/task/task.ts";
import { ADA, openEngineWorld, type EngineWorld } from "../../testing/engine/engine-world.ts";
import { startDependents } from "./start-dependents.ts";

let world: EngineWorld;
let fails: boolean;

beforeEach(async () => {
  fails = false;
  world = await openEngineWorld({
    script: ({ name }) => {
      if (name !== "agent") return {};
      if (fails) return { report: { outcome: "implemented", summary: "changed nothing" } };
      return { files: { "greeting.txt": "hi\n" }, report: { outcome: "implemented", summary: "greets" } };
    },
  });
});
afterEach(() => world.close());

async function read(id: string): Promise<Task> {
  const task = await world.ports.store.tasks.getTask(id);
  if (task === null) throw new Error(`no task ${id}`);
  return task;
}

/** The task after the periodic work, if its run may start now. */
async function tick(id: string): Promise<Task> {
  await startDependents(world.ports);
  return read(id);
}

describe("a task that waits for another one", () => {
  it("is queued for the dependency, and starts by itself when the other one succeeded", async () => {
    const first = await world.submit({ title: "First" });
    const second = await world.submit({ after: [first.id] });
    expect(second).toMatchObject({ status: "queued", waitingFor: null, options: { after: [first.id] } });
    expect(second.queuedFor).toEqual({
      kind: "dependency",
      until: null,
      reason: `It starts when ${first.id} (First) succeeded.`,
    });
    await tick(second.id);
    expect(await world.step(second.id)).toBeNull();
    expect(await world.drain(first.id)).toMatchObject({ status: "succeeded" });
    expect(await tick(second.id)).toMatchObject({ status: "queued", queuedFor: null });
    expect(await world.drain(second.id)).toMatchObject({ status: "succeeded" });
    expect((await world.runs(second.id)).map(({ role, status }) => [role, status])).toEqual([
      ["implement", "succeeded"],
      [null, "succeeded"],
      [null, "succeeded"],
    ]);
  });

  it("starts at once after a task that has succeeded already", async () => {
    const first = await world.drain((await world.submit()).id);
    expect(await world.submit({ after: [first.id] })).toMatchObject({ queuedFor: null });
  });

  it("asks a person if the other one failed, and starts if that person says so", async () => {
    fails = true;
    const first = await world.submit({ title: "First" });
    const second = await world.submit({ after: [first.id] });
    expect(await world.drain(first.id)).toMatchObject({ status: "failed" });
    expect(await tick(second.id)).toMatchObject({
      status: "waiting",
      queuedFor: null,
      waitingFor: {
        kind: "choice",
        reason: `It was to start after ${first.id} (First), which failed.`,
        options: [{ id: "start" }, { id: "reject" }],
      },
    });
    await expect(world.commands.choose(second.id, { option: "nope" }, ADA)).rejects.toThrow(
      '"nope" is not one of the options: start, reject.',
    );
    fails = false;
    expect(await world.commands.choose(second.id, { option: "start" }, ADA)).toMatchObject({ status: "queued" });
    expect(await world.drain(second.id)).toMatchObject({ status: "succeeded" });
  });

  it("waits for a person at once if it is submitted after a failed task; rejecting it ends it and its run", async () => {
    fails = true;
    const first = await world.drain((await world.submit()).id);
    const second = await world.submit({ after: [first.id] });
    expect(second).toMatchObject({ status: "waiting", waitingFor: { kind: "choice" } });
    const ended = await world.commands.choose(second.id, { option: "reject", note: "not needed" }, ADA);
    expect(ended).toMatchObject({ status: "cancelled", reason: "not needed" });
    expect(await world.runs(second.id)).toMatchObject([{ status: "cancelled", startedAt: null }]);
  });

  it("no longer asks if the failed task is retried", async () => {
    fails = true;
    const first = await world.drain((await world.submit()).id);
    const second = await world.submit({ after: [first.id] });
    fails = false;
    await world.commands.retry(first.id, null, ADA);
    expect(await tick(second.id)).toMatchObject({ status: "queued", queuedFor: { kind: "dependency" } });
    await world.drain(first.id);
    await tick(second.id);
    expect(await world.drain(second.id)).toMatchObject({ status: "succeeded" });
  });

  it("asks a person if the other one was deleted", async () => {
    fails = true;
    const first = await world.drain((await world.submit()).id);
    const second = await world.submit({ after: [first.id] });
    await world.commands.remove(first.id, ADA);
    expect((await tick(second.id)).waitingFor).toMatchObject({ reason: expect.stringContaining("was deleted") });
  });

  it("is still held after a pause, and starts at once with retry", async () => {
    const first = await world.submit();
    const second = await world.submit({ after: [first.id] });
    await world.commands.pause(second.id, ADA);
    expect(await tick(second.id)).toMatchObject({ status: "paused" });
    await world.commands.resume(second.id, ADA);
    expect(await tick(second.id)).toMatchObject({ status: "queued", queuedFor: { kind: "dependency" } });
    expect(await world.step(second.id)).toBeNull();
    expect(await world.commands.retry(second.id, null, ADA)).toMatchObject({ queuedFor: null });
    expect(await world.drain(second.id)).toMatchObject({ status: "succeeded" });
  });

  it("writes no event while nothing changes", async () => {
    const first = await world.submit();
    await world.submit({ after: [first.id] });
    const before = await world.ports.store.events.lastEventId();
    await startDependents(world.ports);
    await startDependents(world.ports);
    expect(await world.ports.store.events.lastEventId()).toBe(before);
  });

  it("is refused with all problems at once, and nothing is written", async () => {
    const ids = Array.from({ length: 21 }, (_, index) => `task_unknown${index}`);
    await expect(world.submit({ after: ids })).rejects.toThrow(
      /at most 20 others, not 21\. There is no task task_unknown0, task_unknown1/,
    );
    expect(Object.values(await world.ports.store.tasks.countTasks())).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });
});
