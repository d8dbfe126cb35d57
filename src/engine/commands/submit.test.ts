import { afterEach, describe, expect, it } from "vitest";
import { SYSTEM } from "../../core/task/event.ts";
import { SAMPLE_DRAFT } from "../../testing/builders.ts";
import { openEngineWorld, type EngineWorld, type EngineWorldOptions } from "../../testing/engine/engine-world.ts";

let world: EngineWorld;
afterEach(() => world.close());

async function open(options: Partial<EngineWorldOptions> = {}): Promise<EngineWorld> {
  world = await openEngineWorld({ script: () => ({}), ...options });
  return world;
}

describe("submit", () => {
  it("writes the task, its first run and its events in one transaction", async () => {
    await open();
    const task = await world.submit({ description: "Repair the build\n\nIt fails since yesterday." });
    expect(task).toMatchObject({ title: "Repair the build", state: "implementing", submittedBy: "ada" });
    expect(await world.runs(task.id)).toMatchObject([{ state: "implementing", role: "implement", attempt: 1 }]);
    const events = await world.ports.store.events.listEvents({ after: 0, task: task.id, limit: 10 });
    expect(events[0]).toMatchObject({ type: "task.submitted", actor: { kind: "person", name: "ada" } });
  });

  it("the same key creates one task, even from concurrent requests", async () => {
    await open();
    const [one, other] = await Promise.all([world.submit({ key: "k1" }), world.submit({ key: "k1" })]);
    expect(other.id).toBe(one.id);
    expect((await world.submit({ key: "k1" })).id).toBe(one.id);
    expect(await world.ports.store.tasks.countTasks()).toMatchObject({ running: expect.any(Number) });
    const { rows } = await world.ports.store.tasks.listTasks({
      status: null,
      state: null,
      project: null,
      cursor: null,
      limit: 10,
    });
    expect(rows).toHaveLength(1);
  });

  it.each([
    ["an unknown pipeline", { pipeline: "nope" }, "nope"],
    ["an unknown project", { project: "nope" }, "nope"],
    ["an unknown agent", { agent: "nope" }, "nope"],
    ["an empty description", { description: " \n" }, "description"],
  ] as const)("refuses %s, names it, and writes nothing", async (_title, draft, named) => {
    await open();
    await expect(world.submit(draft)).rejects.toThrow(named);
    expect(Object.values(await world.ports.store.tasks.countTasks())).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it.each([
    ["missing", {}],
    ["empty", { ANTHROPIC_API_KEY: " \n" }],
    ["a placeholder", { ANTHROPIC_API_KEY: "<key>" }],
    ["two words", { ANTHROPIC_API_KEY: "sk-ant one" }],
  ])("refuses a task whose key is %s in the daemon's environment, and writes nothing", async (_title, env) => {
    await open({ over: ({ host }) => ({ host: { ...host, env } }) });
    await expect(world.submit({ agent: "claude-code" })).rejects.toThrow(/nightshift auth add ANTHROPIC_API_KEY/);
    expect(Object.values(await world.ports.store.tasks.countTasks())).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it("accepts a task whose key is set, and a scheduled one that can wait for its key", async () => {
    const env: Record<string, string> = { ANTHROPIC_API_KEY: "sk-ant-1" };
    await open({ over: ({ host }) => ({ host: { ...host, env } }) });
    await world.submit({ agent: "claude-code" });
    delete env["ANTHROPIC_API_KEY"];
    await world.commands.submit({ ...SAMPLE_DRAFT, agent: "claude-code" }, { ...SYSTEM, rights: ["submit"] });
    expect(await world.ports.store.tasks.countTasks()).toMatchObject({ running: 0, failed: 0 });
  });

  it("stores the pipeline version that the task started with", async () => {
    await open();
    const task = await world.submit();
    expect(await world.ports.store.projects.getPipeline(task.pipelineHash)).toMatchObject({ name: "chore" });
  });
});
