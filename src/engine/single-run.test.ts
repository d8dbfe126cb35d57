import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Requester } from "../core/task/requester.ts";
import type { Task } from "../core/task/task.ts";
import { ADA, openEngineWorld, type EngineWorld } from "../testing/engine/engine-world.ts";
import type { ScriptedEnd } from "../testing/engine/scripted-supervisors.ts";

let world: EngineWorld;
afterEach(() => world.close());

const APPROVED = { report: { outcome: "approved", summary: "Fine.", comments: [] } };

/** `reviews` has what each review reports. */
async function open(reviews: readonly ScriptedEnd[] = [APPROVED]): Promise<void> {
  world = await openEngineWorld({
    settings: "checks:\n  test: { command: make test }\n",
    script: ({ name, role, run }) => {
      if (name !== "agent") return {};
      if (role === "plan")
        return { report: { outcome: "plan_complete", plan: `Plan ${run}.`, plan_summary: "s", subtasks: ["Greet"] } };
      if (role === "review") return reviews[run] ?? APPROVED;
      return { files: { "greeting.txt": `hi ${run}\n` }, report: { outcome: "implemented", summary: "greets" } };
    },
  });
}

async function planned(): Promise<Task> {
  return world.drain((await world.submit({ pipeline: "feature" })).id);
}

async function merging(): Promise<Task> {
  const task = await planned();
  await world.commands.approve(task.id, task.planHash, ADA);
  return world.drain(task.id);
}

const position = ({ state, status, waitingFor, outcome, reason, finishedAt, trigger, headCommit }: Task) => {
  return { state, status, waitingFor, outcome, reason, finishedAt, trigger, headCommit };
};

describe("a single run", () => {
  it("of review adds a verdict and leaves the task where it was", async () => {
    await open([{ report: { outcome: "approved", summary: "First.", comments: [] } }, APPROVED]);
    const before = await merging();
    expect(before).toMatchObject({ state: "merging", status: "waiting" });
    const queued = await world.commands.runRole(before.id, "review", ADA);
    expect(queued).toMatchObject({ state: "merging", status: "queued", waitingFor: null });
    await expect(world.commands.merge(before.id, {}, ADA)).rejects.toThrow(/nothing to merge/);
    const after = await world.drain(before.id);
    expect(position(after)).toEqual(position(before));
    expect(after.context.slice(-2)).toMatchObject([
      { kind: "review_approved", summary: "First." },
      { kind: "review_approved", summary: "Fine." },
    ]);
    const runs = await world.runs(before.id);
    expect(runs.at(-1)).toMatchObject({ state: "reviewing", role: "review", attempt: 2, outcome: "approved" });
    const prompt = await readFile(join(world.ports.runFiles.dir(runs.at(-1)?.id ?? ""), "prompt.md"), "utf8");
    expect(prompt).toContain("A person asked for this run separately.");
    await world.commands.merge(before.id, {}, ADA);
  });

  it("whose verdict is negative counts at the merge gate", async () => {
    const comments = [{ severity: "critical", comment: "Wrong." }];
    await open([APPROVED, { report: { outcome: "changes_requested", summary: "No.", comments } }]);
    const { id } = await merging();
    await world.commands.runRole(id, "review", ADA);
    expect(await world.drain(id)).toMatchObject({ state: "merging", status: "waiting" });
    await expect(world.commands.merge(id, {}, ADA)).rejects.toThrow(/last review requests changes/);
  });

  it("of plan writes a new version, and the approval is about that version", async () => {
    await open();
    const before = await planned();
    await world.commands.runRole(before.id, "plan", ADA);
    const after = await world.drain(before.id);
    expect(after.documents.map(({ version }) => version)).toEqual([1, 2]);
    expect(after).toMatchObject({
      state: "plan_review",
      waitingFor: { kind: "approval", planHash: after.planHash, document: { kind: "plan", version: 2 } },
    });
    await expect(world.commands.approve(before.id, before.planHash, ADA)).rejects.toThrow(/changed since/);
    await world.commands.approve(before.id, after.planHash, ADA);
    expect(await world.drain(before.id)).toMatchObject({ state: "merging" });
  });

  it.each([
    ["crashes", { exitCode: 1 }],
    ["reports nothing useful", { report: { outcome: "implemented", summary: "?" } }],
    ["asks", { report: { outcome: "needs_info", questions: [{ id: "a", question: "?", input: "text" }] } }],
  ])("that %s ends without a result, and is not repeated", async (_, end) => {
    await open([APPROVED, end]);
    const before = await merging();
    await world.commands.runRole(before.id, "review", ADA);
    const after = await world.drain(before.id);
    expect(position(after)).toEqual(position(before));
    expect((await world.runs(before.id)).filter(({ role }) => role === "review")).toHaveLength(2);
  });

  it("works on tasks that have ended, which stay ended", async () => {
    await open();
    const done = await world.drain((await world.submit({ pipeline: "chore" })).id);
    expect(done).toMatchObject({ status: "succeeded" });
    await world.commands.runRole(done.id, "review", ADA);
    const after = await world.drain(done.id);
    expect(after).toMatchObject({ status: "succeeded", state: "done", finishedAt: done.finishedAt });
    expect(after.context.at(-1)).toMatchObject({ kind: "review_approved" });
    const cancelled = await world.commands.cancel((await planned()).id, ADA);
    await world.commands.runRole(cancelled.id, "plan", ADA);
    expect(await world.drain(cancelled.id)).toMatchObject({ status: "cancelled", documents: [{}, { version: 2 }] });
  });

  it("that is cancelled before it starts leaves the task as it was", async () => {
    await open();
    const before = await merging();
    await world.commands.runRole(before.id, "review", ADA);
    const after = await world.commands.cancel(before.id, ADA);
    expect(position(after)).toEqual(position(before));
    expect((await world.runs(before.id)).at(-1)).toMatchObject({ status: "cancelled", startedAt: null });
    expect(await world.step(before.id)).toBeNull();
  });

  it("does not change where a retry continues", async () => {
    await open();
    const { id } = await merging();
    await world.commands.cancel(id, ADA);
    await world.commands.runRole(id, "plan", ADA);
    await world.drain(id);
    expect(await world.commands.retry(id, null, ADA)).toMatchObject({ state: "reviewing" });
  });

  it("is refused with what is possible", async () => {
    await open();
    const { id } = await world.submit({ pipeline: "feature" });
    await expect(world.commands.runRole(id, "plan", ADA)).rejects.toThrow(/is queued in "planning"/);
    await expect(world.commands.runRole(id, "implement", ADA)).rejects.toThrow(
      /Possible roles: review, plan, design, investigate/,
    );
    await world.drain(id);
    await expect(world.commands.runRole(id, "review", ADA)).rejects.toThrow(/no change to review/);
    const reader: Requester = { kind: "person", name: "bob", rights: [] };
    await expect(world.commands.runRole(id, "plan", reader)).rejects.toMatchObject({ kind: "forbidden" });
  });
});
