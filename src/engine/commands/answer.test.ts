import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Task } from "../../core/task/task.ts";
import { git } from "../../testing/temp-repo.ts";
import { ADA, openEngineWorld, type EngineWorld } from "../../testing/engine/engine-world.ts";
import type { ScriptedEnd } from "../../testing/engine/scripted-supervisors.ts";
import { answerOverdue } from "../reconcile/answer-overdue.ts";

const PAST = "2020-01-01T00:00:00Z";
const FUTURE = "2999-01-01T00:00:00Z";

const AUTH = { id: "auth", question: "Which login?", input: "choice", options: ["token", "session"], default: "token" };

function ask(...questions: readonly object[]): ScriptedEnd {
  return { report: { outcome: "needs_info", summary: "A question.", questions } };
}

function implement(text: string): ScriptedEnd {
  return { files: { "greeting.txt": text }, report: { outcome: "implemented", summary: `wrote ${text}` } };
}

let world: EngineWorld;
afterEach(() => world.close());

/** Opens a chore whose agent plays these runs in order. */
async function start(...runs: readonly ScriptedEnd[]): Promise<Task> {
  world = await openEngineWorld({ script: ({ name, run }) => (name === "agent" ? (runs[run] ?? {}) : {}) });
  return world.drain((await world.submit({ pipeline: "chore" })).id);
}

async function lastPrompt(task: string): Promise<string> {
  const run = (await world.runs(task)).findLast(({ step }) => step === "agent");
  return readFile(join(world.ports.runFiles.dir(run?.id ?? ""), "prompt.md"), "utf8");
}

describe("questions with a deadline", () => {
  it("are answered with their default after the deadline, and the answer is marked as assumed", async () => {
    const waiting = await start(ask({ ...AUTH, deadline: PAST }), implement("token"));
    expect(waiting.status).toBe("waiting");
    await answerOverdue(world.ports);
    const task = await world.drain(waiting.id);
    expect(task.status).toBe("succeeded");
    expect(task.conversation).toMatchObject([{ reply: { auth: "token" }, assumed: ["auth"] }]);
    expect(await lastPrompt(task.id)).toContain("answer: token (assumed");
  });

  it("wait until the deadline", async () => {
    const waiting = await start(ask({ ...AUTH, deadline: FUTURE }));
    await answerOverdue(world.ports);
    expect(await world.drain(waiting.id)).toMatchObject({ status: "waiting" });
  });

  it("wait for a person if another question has no deadline", async () => {
    const waiting = await start(ask({ ...AUTH, deadline: PAST }, { id: "name", question: "Name?", input: "text" }));
    await answerOverdue(world.ports);
    expect(await world.drain(waiting.id)).toMatchObject({ status: "waiting" });
  });

  it("that a person answered are not assumed", async () => {
    const waiting = await start(ask({ ...AUTH, deadline: PAST }), implement("session"));
    await world.commands.answer(waiting.id, { auth: "session" }, ADA);
    await answerOverdue(world.ports);
    const task = await world.drain(waiting.id);
    expect(task.conversation[0]).toMatchObject({ reply: { auth: "session" }, by: "ada" });
    expect(task.conversation[0]?.assumed ?? []).toEqual([]);
  });
});

/** A task that ended with an assumed answer. */
async function assumed(): Promise<Task> {
  const waiting = await start(ask({ ...AUTH, deadline: PAST }), implement("token"), implement("session"));
  await answerOverdue(world.ports);
  return world.drain(waiting.id);
}

describe("an assumed answer", () => {
  it("can be kept", async () => {
    const { id } = await assumed();
    const task = await world.commands.answer(id, { auth: "token" }, ADA);
    expect(task).toMatchObject({ status: "succeeded" });
    expect(task.conversation[0]).toMatchObject({ assumed: [], by: "ada" });
    expect(await world.step(id)).toBeNull();
  });

  it("can be changed: the state that asked runs again with the new answer", async () => {
    const before = await assumed();
    await world.commands.answer(before.id, { auth: "session" }, ADA);
    const task = await world.drain(before.id);
    expect(task).toMatchObject({ status: "succeeded", conversation: [{ reply: { auth: "session" }, assumed: [] }] });
    expect(await lastPrompt(task.id)).toContain("answer: session");
    expect(await git(world.repo.remote, "show", `${task.branch}:greeting.txt`)).toBe("session");
  });

  it("is changed while the task runs or waits: the work made with it is kept as a ref", async () => {
    const waiting = await start(ask({ ...AUTH, deadline: PAST }), implement("token"), implement("session"));
    await answerOverdue(world.ports);
    await world.step(waiting.id); // implements with the assumed answer
    const { headCommit } = (await world.ports.store.tasks.getTask(waiting.id)) ?? {};
    await world.commands.answer(waiting.id, { auth: "session" }, ADA);
    const task = await world.drain(waiting.id);
    expect(await git(world.repo.remote, "show", `${task.branch}:greeting.txt`)).toBe("session");
    const runs = await world.runs(task.id);
    expect(runs.map(({ role, step, status }) => `${role ?? step} ${status}`)).toContain("checks cancelled");
    const [rescue = ""] = globSync(join(world.ports.host.home, "mirrors", "*", "rescue.git"));
    const refs = await git(rescue, "for-each-ref", "--format=%(refname)");
    expect(refs).toContain(`refs/nightshift/superseded/${task.id}/${headCommit}`);
  });

  it("must be one of the options", async () => {
    const { id } = await assumed();
    await expect(world.commands.answer(id, { auth: "magic" }, ADA)).rejects.toThrow(/must be one of token, session/);
    await expect(world.commands.answer(id, { other: "x" }, ADA)).rejects.toThrow(/nothing to answer/);
  });
});
