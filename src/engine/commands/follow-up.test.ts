import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Task } from "../../core/task/task.ts";
import { ADA, openEngineWorld, type EngineWorld } from "../../testing/engine/engine-world.ts";
import { git } from "../../testing/temp-repo.ts";

let world: EngineWorld;
afterEach(() => world.close());

/** An agent whose n-th run adds a line to the greeting. */
async function open(): Promise<void> {
  world = await openEngineWorld({
    script: ({ name, run }) =>
      name === "agent"
        ? {
            files: { [`greeting-${run}.txt`]: `hi ${run}\n` },
            report: { outcome: "implemented", summary: `wrote greeting ${run}` },
          }
        : {},
  });
}

async function published(task: Task): Promise<readonly string[]> {
  return (await git(world.repo.remote, "ls-tree", "--name-only", task.branch ?? "")).split("\n");
}

async function lastPrompt(id: string): Promise<string> {
  const run = (await world.runs(id)).findLast(({ step }) => step === "agent");
  return readFile(join(world.ports.runFiles.dir(run?.id ?? ""), "prompt.md"), "utf8");
}

describe("follow-up", () => {
  it("continues a published task on its branch, with its work and what it knows", async () => {
    await open();
    const done = await world.drain((await world.submit({ title: "Greet" })).id);
    expect(done).toMatchObject({ status: "succeeded" });
    const again = await world.commands.followUp(done.id, { text: "also greet in French" }, ADA);
    expect(again).toMatchObject({ id: done.id, status: "queued", state: "implementing", branch: done.branch });
    const ended = await world.drain(done.id);
    expect(ended).toMatchObject({ status: "succeeded", branch: done.branch });
    expect(await published(ended)).toEqual(expect.arrayContaining(["greeting-0.txt", "greeting-1.txt"]));
    const prompt = await lastPrompt(done.id);
    expect(prompt).toContain("The task was done, and a person asks for more.");
    expect(prompt).toContain("also greet in French");
    expect(prompt).toContain("wrote greeting 0");
    expect(ended.context).toMatchObject([
      { kind: "implementation_summary" },
      { kind: "feedback", source: "person", summary: "also greet in French" },
      { kind: "implementation_summary" },
    ]);
  });

  it("keeps commits of people on the branch", async () => {
    await open();
    const done = await world.drain((await world.submit()).id);
    const { checkout } = world.repo;
    await git(checkout, "fetch", "--quiet", "origin", done.branch ?? "");
    await git(checkout, "checkout", "--quiet", "-B", "theirs", "FETCH_HEAD");
    await world.repo.commit({ "person.txt": "mine\n" });
    await git(checkout, "push", "--quiet", "origin", `theirs:${done.branch}`);
    await world.commands.followUp(done.id, { text: "more" }, ADA);
    await world.step(done.id);
    const task = await world.ports.store.tasks.getTask(done.id);
    const [implement] = (await world.runs(done.id)).slice(-2);
    expect(implement?.commit).toBe(task?.headCommit);
    const names = await world.ports.workspaces.readChanges({
      project: "shop",
      task: done.id,
      from: task?.baseCommit ?? "",
      to: task?.headCommit ?? "",
      maxFileBytes: 1000,
    });
    expect(names.map(({ path }) => path)).toContain("person.txt");
  });

  it("continues a cancelled task with the work that it had", async () => {
    await open();
    const { id } = await world.submit();
    await world.step(id);
    await world.commands.cancel(id, ADA);
    await world.commands.followUp(id, { text: "go on" }, ADA);
    const ended = await world.drain(id);
    expect(await published(ended)).toEqual(expect.arrayContaining(["greeting-0.txt", "greeting-1.txt"]));
  });

  it("starts a new task that knows the old one if the change was merged", async () => {
    await open();
    const done = await world.drain((await world.submit({ title: "Greet", tags: ["api"] })).id);
    const { store, clock } = world.ports;
    const merged = { ...done, outcome: "merged", updatedAt: clock.now() };
    await store.tasks.commit({
      task: merged,
      expectedVersion: done.version,
      lease: null,
      endRun: null,
      endOthers: null,
      newRun: null,
      events: [],
      checks: [],
      artifacts: [],
      notices: [],
      admission: { ...world.ports.host.capacity(), at: clock.now() },
    });
    const next = await world.commands.followUp(done.id, { text: "Greet in French" }, ADA);
    expect(next).toMatchObject({ title: "Greet in French", tags: ["api"], options: { related: done.id } });
    expect(next.id).not.toBe(done.id);
    expect(next.branch).not.toBe(done.branch);
    await world.drain(next.id);
    expect(await lastPrompt(next.id)).toContain("wrote greeting 0");
  });

  it("waits for other tasks, and refuses to wait for itself", async () => {
    await open();
    const first = await world.drain((await world.submit()).id);
    const slow = await world.submit();
    const second = await world.submit({ after: [slow.id] });
    const held = await world.commands.followUp(first.id, { text: "more", after: [second.id] }, ADA);
    expect(held).toMatchObject({ status: "queued", queuedFor: { kind: "dependency" } });
    expect(await world.step(first.id)).toBeNull();
    const third = await world.drain(slow.id);
    await expect(world.commands.followUp(third.id, { text: "more", after: [first.id] }, ADA)).rejects.toThrow(
      `${third.id} would wait for itself: ${third.id} → ${first.id} → ${second.id} → ${third.id}.`,
    );
    await expect(world.commands.followUp(third.id, { text: "more", after: [third.id] }, ADA)).rejects.toThrow(
      "would wait for itself",
    );
  });

  it("is refused with the allowed states while the task runs, with an empty text and without its branch", async () => {
    await open();
    const queued = await world.submit();
    await expect(world.commands.followUp(queued.id, { text: "more" }, ADA)).rejects.toMatchObject({
      message: `Cannot follow up on ${queued.id}: it is queued in "implementing".`,
      hint: expect.stringContaining("has ended or waits for its review or merge"),
    });
    await expect(world.commands.followUp(queued.id, { text: " \n" }, ADA)).rejects.toThrow("The follow-up is empty.");
    await expect(world.commands.followUp("task_nope", { text: "more" }, ADA)).rejects.toThrow("no task task_nope");
    const done = await world.drain(queued.id);
    await git(world.repo.remote, "branch", "-D", done.branch ?? "");
    await expect(world.commands.followUp(done.id, { text: "more" }, ADA)).rejects.toThrow(
      /its branch .* no longer exists at the remote/,
    );
  });
});
