import { afterEach, describe, expect, it } from "vitest";
import type { Task } from "../../core/task/task.ts";
import { ADA, openEngineWorld, type EngineWorld } from "../../testing/engine/engine-world.ts";

let world: EngineWorld;
afterEach(() => world.close());

async function cancelled(
  draft: { readonly model?: string; readonly planningTimeoutMs?: number; readonly pipeline?: string } = {},
): Promise<Task> {
  world = await openEngineWorld({
    script: () => ({}),
    settings: "  other: { kind: command, command: [/bin/true] }\n",
  });
  const { id } = await world.submit(draft);
  return world.commands.cancel(id, ADA);
}

describe("retry with other options", () => {
  it("changes what is given, and keeps the rest", async () => {
    const { id } = await cancelled({ model: "old-model" });
    const first = await world.commands.retry(id, { maxTurns: 7, timeoutMs: 60_000, budgetUsd: 2 }, ADA);
    expect(first.options).toMatchObject({ model: "old-model", maxTurns: 7, timeoutMs: 60_000, budgetUsd: 2 });
    await world.commands.cancel(id, ADA);
    const second = await world.commands.retry(id, { model: "new-model" }, ADA);
    expect(second.options).toMatchObject({ agent: null, model: "new-model", maxTurns: 7 });
  });

  it("limits planning by a new timeout too", async () => {
    const { id } = await cancelled({ pipeline: "staged", planningTimeoutMs: 1_000 });
    const kept = await world.commands.retry(id, { maxTurns: 7 }, ADA);
    expect(kept.options).toMatchObject({ planningTimeoutMs: 1_000 });
    await world.commands.cancel(id, ADA);
    const task = await world.commands.retry(id, { timeoutMs: 60_000 }, ADA);
    expect(task.options).not.toHaveProperty("planningTimeoutMs");
  });

  it("does not give the model of one agent to another", async () => {
    const { id } = await cancelled({ model: "old-model" });
    const task = await world.commands.retry(id, { agent: "other" }, ADA);
    expect(task.options).toMatchObject({ agent: "other", model: null });
  });

  it.each([
    ["an unknown agent", { agent: "nope" }, "There is no agent `nope`"],
    ["a model that is an option", { model: "--help" }, "is not the name of a model"],
    ["an agent without a key", { agent: "claude-code" }, "nightshift auth add ANTHROPIC_API_KEY"],
    ["an unknown state", { from: "nope" }, 'has no state "nope"'],
  ])("refuses %s like submit, and changes nothing", async (_title, draft, message) => {
    const before = await cancelled();
    await expect(world.commands.retry(before.id, draft, ADA)).rejects.toThrow(message);
    expect(await world.ports.store.tasks.getTask(before.id)).toEqual(before);
  });
});

describe("removing a project with its tasks", () => {
  it("is refused while a task is unfinished, then deletes all of them; events stay", async () => {
    const { id } = await cancelled();
    const open = await world.submit();
    await expect(world.commands.removeProjectTasks("shop", ADA)).rejects.toThrow(
      `"shop" has unfinished tasks, such as ${open.id}.`,
    );
    await world.commands.cancel(open.id, ADA);
    expect(await world.commands.removeProjectTasks("shop", ADA)).toBe(2);
    expect(await world.ports.store.tasks.getTask(id)).toBeNull();
    expect(await world.ports.workspaces.list()).toEqual([]);
    expect(await world.ports.store.events.listEvents({ after: 0, task: id, limit: 100 })).not.toEqual([]);
    await world.commands.removeProject("shop", ADA);
    await expect(world.commands.removeProjectTasks("shop", ADA)).rejects.toThrow('There is no project "shop"');
  });
});
