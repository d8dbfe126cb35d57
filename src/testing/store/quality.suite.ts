import { describe, expect, it } from "vitest";
import type { Task } from "../../core/task/task.ts";
import type { RunEnd } from "../../ports/store.ts";
import type { Current } from "./current.ts";
import { committing, sampleArtifact, sampleEnd, sampleEvent, startTask } from "./samples.ts";

const EVER = { since: 0, until: 9e15, project: null, limit: 100 };

export function testQuality(current: Current): void {
  async function endOne(end: Partial<RunEnd>, over: Partial<Task> = {}, url: string | null = null): Promise<Task> {
    const { task, run, lease } = await startTask(current.store, { project: over.project ?? "shop" });
    const endRun = sampleEnd(run.id, { pausedMs: 0, ...end });
    const ended = { ...task, status: "succeeded", finishedAt: endRun.finishedAt, ...over } as const;
    const request = sampleArtifact({ type: "change_request", label: "cr", url, data: { number: 1, url } });
    const artifacts = url === null ? [] : [request];
    await current.store.tasks.commit(committing(ended, { lease, endRun, artifacts }));
    return ended;
  }

  describe("quality facts", () => {
    it("are the started runs and the tasks that ended in the period, newest first", async () => {
      await endOne({ finishedAt: 5_000_000 });
      const second = await endOne({ finishedAt: 6_000_000, status: "failed", outcome: "agent_error" });
      await endOne({ finishedAt: 7_000_000 });
      const facts = await current.store.quality.readFacts({ ...EVER, since: 5_000_001, until: 7_000_000 });
      expect(facts.runs).toMatchObject([{ task: second.id, status: "failed", role: "implement", pipeline: "chore" }]);
      expect(facts.tasks).toMatchObject([{ id: second.id, finishedAt: 6_000_000 }]);
      expect(facts.isComplete).toBe(true);
    });

    it("can be those of one project, and say if there are more than the limit", async () => {
      for (const project of ["shop", "api", "api"]) await endOne({ finishedAt: 5_000_000 }, { project });
      const ofProject = await current.store.quality.readFacts({ ...EVER, project: "api" });
      expect(ofProject.runs.map(({ project }) => project)).toEqual(["api", "api"]);
      const limited = await current.store.quality.readFacts({ ...EVER, limit: 2 });
      expect([limited.runs.length, limited.tasks.length, limited.isComplete]).toEqual([2, 2, false]);
    });

    it("have what became of each published change, with or without a forge", async () => {
      const url = "https://forge.example/1";
      const end = { outcome: "published", finishedAt: 5_000_000 };
      const open = await endOne(end, {}, url);
      const merged = await endOne(end, {}, `${url}0`);
      await current.store.events.appendEvents([
        sampleEvent({ type: "request.merged", task: merged.id, data: { number: 1, url: `${url}0` } }),
      ]);
      const mergedHere = await endOne(end, { outcome: "merged" });
      const rejected = await endOne(end, { status: "cancelled" });
      await endOne({ finishedAt: 5_000_000 });
      const { changes } = await current.store.quality.readFacts(EVER);
      expect(new Map(changes.map(({ task, state }) => [task, state]))).toEqual(
        new Map([
          [open.id, "open"],
          [merged.id, "merged"],
          [mergedHere.id, "merged"],
          [rejected.id, "closed"],
        ]),
      );
    });

    it("do not count a variant as a task, but its runs", async () => {
      const { options } = (await startTask(current.store)).task;
      await endOne({ finishedAt: 5_000_000 }, { options: { ...options, variantOf: { task: "task_x", number: 1 } } });
      const { runs, tasks } = await current.store.quality.readFacts(EVER);
      expect([runs.length, tasks.length]).toEqual([1, 0]);
    });
  });
}
