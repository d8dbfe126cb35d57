import { afterEach, describe, expect, it } from "vitest";
import { StaleTaskError } from "../core/text/errors.ts";
import type { Task } from "../core/task/task.ts";
import { openEngineWorld, type EngineWorld } from "../testing/engine/engine-world.ts";
import { readTask, transact, type Decision } from "./transact.ts";

let world: EngineWorld;
afterEach(() => world.close());

const retitle = (task: Task, title: string): Decision => ({
  advance: { task: { ...task, title }, events: [], next: null },
});

describe("transact", () => {
  it("decides again when the task changed between reading and writing", async () => {
    world = await openEngineWorld({ script: () => ({}) });
    const { id } = await world.submit();
    const seen: string[] = [];
    await transact(world.ports, id, null, async (task) => {
      seen.push(task.title);
      if (seen.length === 1) await transact(world.ports, id, null, (other) => retitle(other, "changed by another"));
      return retitle(task, `${task.title}, then by us`);
    });
    expect(seen).toEqual(["Greet the world", "changed by another"]);
    expect((await readTask(world.ports, id)).title).toBe("changed by another, then by us");
  });

  it("gives up with StaleTaskError when the task keeps changing, and writes nothing", async () => {
    let tries = 0;
    world = await openEngineWorld({
      script: () => ({}),
      over: ({ store }) => ({
        store: {
          ...store,
          tasks: {
            ...store.tasks,
            commit: () => {
              tries += 1;
              return Promise.reject(new StaleTaskError("changed meanwhile"));
            },
          },
        },
      }),
    });
    const { id } = await world.submit();
    await expect(transact(world.ports, id, null, (task) => retitle(task, "never"))).rejects.toThrow(StaleTaskError);
    expect(tries).toBe(50);
    expect((await readTask(world.ports, id)).title).toBe("Greet the world");
  });

  it("redacts known secrets in the events that it writes", async () => {
    world = await openEngineWorld({
      script: () => ({}),
      over: ({ secrets }) => ({
        secrets: {
          ...secrets,
          redact: <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("hunter2", "[redacted]")) as T,
        },
      }),
    });
    const { id } = await world.submit();
    const event = {
      at: 1,
      task: id,
      run: null,
      type: "run.note",
      level: "info",
      actor: { kind: "system", name: "engine" },
      summary: "the key is hunter2",
      data: { key: "hunter2" },
    } as const;
    await transact(world.ports, id, null, (task) => ({ ...retitle(task, "x"), events: [event] }));
    const written = await world.ports.store.events.listEvents({ after: 0, task: id, limit: 100 });
    expect(written.at(-1)).toMatchObject({ summary: "the key is [redacted]", data: { key: "[redacted]" } });
  });

  it("reports an unknown task as not_found and names the command that lists tasks", async () => {
    world = await openEngineWorld({ script: () => ({}) });
    await expect(readTask(world.ports, "task_nope")).rejects.toMatchObject({
      kind: "not_found",
      hint: expect.stringContaining("nightshift queue"),
    });
  });
});
