import { describe, expect, it } from "vitest";
import type { Task } from "../../core/task/task.ts";
import type { TaskFilter } from "../../ports/store-task-queries.ts";
import type { Current } from "./current.ts";
import { creating, sampleRun, sampleTask } from "./samples.ts";

const ALL = { status: null, state: null, project: null, cursor: null, limit: 100 };

export function testTaskSearch(current: Current): void {
  async function save(over: Partial<Task>): Promise<string> {
    const task = sampleTask(over);
    await current.store.tasks.createTask(creating(task));
    return task.id;
  }

  async function find(search: TaskFilter): Promise<readonly string[]> {
    const { status = null, state = null, project = null, ...more } = search;
    const query = { ...ALL, status, state, project, search: more };
    return (await current.store.tasks.listTasks(query)).rows.map(({ id }) => id);
  }

  describe("search for tasks", () => {
    it("finds a part of the title or branch, and the beginning of an id", async () => {
      const title = await save({ title: "Speed up the Search page", createdAt: 1 });
      const branch = await save({ branch: "agent/search-ab12", createdAt: 2 });
      const id = await save({ id: "task_search0000", createdAt: 3 });
      await save({ description: "search", createdAt: 4 });
      expect(await find({ text: "search" })).toEqual([id, branch, title]);
      expect(await find({ text: "task_search" })).toEqual([id]);
      expect(await find({ text: "earch0000" })).toEqual([]);
    });

    it("takes every character of the text and of a tag literally", async () => {
      const percent = await save({ title: '100% of _it_ \\ "all"', tags: ['50%"', "b"] });
      await save({ title: "100 of it", tags: ["50x", "bb"] });
      for (const text of ["100% of", "_it_", "\\", '"all"']) expect(await find({ text }), text).toEqual([percent]);
      expect(await find({ tag: '50%"' })).toEqual([percent]);
      expect(await find({ tag: "b" })).toEqual([percent]);
    });

    it("finds tasks by the agent that was asked for or that worked on them, and by the pipeline", async () => {
      const options = { ...sampleTask().options, agent: "codex" };
      const asked = await save({ options, pipeline: "fix", createdAt: 1 });
      const worked = sampleTask({ createdAt: 2 });
      const run = sampleRun(worked, { agent: "codex" });
      await current.store.tasks.createTask(creating(worked, { run }));
      await save({ createdAt: 3 });
      expect(await find({ agent: "codex" })).toEqual([worked.id, asked]);
      expect(await find({ agent: "code" })).toEqual([]);
      expect(await find({ agent: "codex", pipeline: "fix" })).toEqual([asked]);
    });

    it("combines all filters, in pages", async () => {
      const ids: string[] = [];
      for (let index = 0; index < 5; index += 1)
        ids.unshift(await save({ tags: ["ui"], status: "failed", state: "checking", createdAt: 10 + (index >> 1) }));
      await save({ tags: ["ui"], status: "failed", state: "checking", project: "other" });
      await save({ tags: ["ui"], status: "succeeded", state: "checking" });
      await save({ tags: ["ui"], status: "failed" });
      const filter = { status: ["failed"], state: "checking", project: "shop" } as const;
      const query = { ...ALL, ...filter, search: { tag: "ui", text: "build" }, limit: 3 };
      const first = await current.store.tasks.listTasks(query);
      const second = await current.store.tasks.listTasks({ ...query, cursor: first.next });
      const seen = [...first.rows, ...second.rows];
      expect(seen.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      expect(seen.map(({ createdAt }) => createdAt)).toEqual([12, 11, 11, 10, 10]);
      expect(second.next).toBeNull();
      expect(await current.store.tasks.countMatching({ ...filter, tag: "ui" })).toMatchObject({
        failed: 5,
        waiting: 0,
      });
    });

    it("counts all tasks by status, without variants if they are hidden", async () => {
      const variantOf = { task: "task_a", number: 1 };
      await save({ status: "running" });
      await save({ status: "running", options: { ...sampleTask().options, variantOf } });
      await save({ status: "waiting" });
      expect(await current.store.tasks.countMatching({})).toMatchObject({ running: 2, waiting: 1, failed: 0 });
      expect(await current.store.tasks.countMatching({ variants: "hide" })).toMatchObject({ running: 1, waiting: 1 });
    });
  });
}
