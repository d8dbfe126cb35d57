import { describe, expect, it } from "vitest";
import { UserError } from "../../core/text/errors.ts";
import { NOTHING_SEEN, TASK_STATUSES } from "../../core/task/task.ts";
import type { ListTasksQuery } from "../../ports/store-task-queries.ts";
import type { Current } from "./current.ts";
import {
  creating,
  committing,
  queueTask,
  sampleArtifact,
  sampleCheck,
  sampleEnd,
  sampleEvent,
  sampleNotice,
  sampleRun,
  sampleTask,
  startTask,
} from "./samples.ts";

const ALL: ListTasksQuery = { status: null, state: null, project: null, cursor: null, limit: 100 };

export function testTasks(current: Current): void {
  describe("createTask", () => {
    it("stores every field of a task", async () => {
      const bare = sampleTask();
      const full = sampleTask({
        waitingFor: { kind: "approval", planHash: "h", since: 3 },
        items: { list: ["a", "b"], at: 1, scheduled: 1, tried: [] },
        priority: "urgent",
        complexity: "high",
        branch: "nightshift/x",
        baseCommit: "b",
        headCommit: "h",
        plan: { steps: [{ title: "é" }] },
        planHash: "p",
        conversation: [{ kind: "choice", state: "plan", asked: [], reply: { a: "b" }, by: "ada", at: 4 }],
        trigger: { kind: "comments", text: "no", run: "run_x" },
        order: "kill",
        outcome: "implemented",
        reason: "because",
        finishedAt: 9,
      });
      for (const task of [bare, full]) {
        await current.store.tasks.createTask(creating(task));
        expect(await current.store.tasks.getTask(task.id)).toEqual(task);
      }
    });

    it("writes the first run, events and notices with the task, and admits queued runs", async () => {
      const task = sampleTask();
      const run = sampleRun(task);
      const event = sampleEvent({ task: task.id, type: "task.submitted" });
      const notice = sampleNotice({ task: task.id });
      const result = await current.store.tasks.createTask(creating(task, { run, events: [event], notices: [notice] }));
      expect(result).toEqual({ task, admitted: [run.id], ended: [], events: [{ ...event, id: expect.any(Number) }] });
      expect(await current.store.tasks.getRun(run.id)).toMatchObject({
        ...run,
        status: "starting",
        token: 0,
        startedAt: null,
      });
      expect(await current.store.events.listEvents({ after: 0, task: null, limit: 10 })).toEqual(result.events);
      expect(await current.store.outbox.dueNotices(1000, 10)).toHaveLength(1);
    });

    it("returns the existing task for a repeated key, and writes nothing", async () => {
      const first = sampleTask();
      await current.store.tasks.createTask(creating(first, { key: "k" }));
      const second = sampleTask();
      const again = await current.store.tasks.createTask(
        creating(second, { key: "k", run: sampleRun(second), events: [sampleEvent()] }),
      );
      expect(again).toEqual({ task: first, admitted: [], ended: [], events: [] });
      expect(await current.store.tasks.getTask(second.id)).toBeNull();
      expect(await current.store.events.lastEventId()).toBe(0);
    });

    it("creates one task from twenty concurrent calls with the same key", async () => {
      const results = await Promise.all(
        Array.from({ length: 20 }, () => {
          const task = sampleTask();
          return current.store.tasks.createTask(creating(task, { key: "k", run: sampleRun(task) }));
        }),
      );
      expect(new Set(results.map((result) => result.task.id)).size).toBe(1);
      expect(await current.store.tasks.listOpenRuns()).toHaveLength(1);
    });

    it("creates separate tasks without a key", async () => {
      await current.store.tasks.createTask(creating(sampleTask()));
      await current.store.tasks.createTask(creating(sampleTask()));
      expect((await current.store.tasks.listTasks(ALL)).rows).toHaveLength(2);
    });

    it("writes nothing if a part of it is rejected", async () => {
      const { run } = await startTask(current.store);
      const before = await current.store.events.lastEventId();
      const task = sampleTask();
      const clash = sampleRun(task, { id: run.id });
      await expect(
        current.store.tasks.createTask(creating(task, { run: clash, events: [sampleEvent()] })),
      ).rejects.toThrow(/unique/i);
      expect(await current.store.tasks.getTask(task.id)).toBeNull();
      expect(await current.store.events.lastEventId()).toBe(before);
    });
  });

  describe("change requests", () => {
    const url = "https://forge.example/7";
    const request = sampleArtifact({ type: "change_request", label: "Say more", url, data: { number: 7 } });

    async function publish() {
      const { task } = await startTask(current.store);
      await current.store.tasks.commit(committing(task, { artifacts: [request] }));
      return task.id;
    }

    const report = (task: string, type: "request.merged" | "request.closed" | "request.reopened", at: number) =>
      current.store.events.appendEvents([sampleEvent({ task, type, at, data: { number: 7, url } })]);

    it("have the state that was last reported", async () => {
      const [open, merged, reopened] = [await publish(), await publish(), await publish()];
      const { task: other } = await startTask(current.store);
      await report(merged, "request.merged", 50);
      await report(reopened, "request.closed", 60);
      expect((await current.store.tasks.listChangeRequests([reopened])).get(reopened)).toMatchObject({
        state: "closed",
        endedAt: 60,
      });
      await report(reopened, "request.reopened", 70);
      // An earlier change request of the task.
      await current.store.events.appendEvents([
        sampleEvent({ task: open, type: "request.closed", data: { number: 6, url: "https://forge.example/6" } }),
      ]);
      const found = await current.store.tasks.listChangeRequests([open, merged, reopened, other.id]);
      expect(Object.fromEntries(found)).toEqual({
        [open]: { number: 7, url, state: "open", endedAt: null },
        [merged]: { number: 7, url, state: "merged", endedAt: 50 },
        [reopened]: { number: 7, url, state: "open", endedAt: null },
      });
      expect((await current.store.tasks.listChangeRequests([])).size).toBe(0);
    });
  });

  describe("reading tasks", () => {
    it("finds at most ten ids by prefix, with or without task_, and supports no wildcards", async () => {
      for (let i = 0; i < 12; i++)
        await current.store.tasks.createTask(creating(sampleTask({ id: `task_ab${i % 10}${i}` })));
      await current.store.tasks.createTask(creating(sampleTask({ id: "task_ac" })));
      expect(await current.store.tasks.findTaskIds("ac")).toEqual(["task_ac"]);
      expect(await current.store.tasks.findTaskIds("task_ac")).toEqual(["task_ac"]);
      expect(await current.store.tasks.findTaskIds("ab00")).toEqual(["task_ab00"]);
      expect(await current.store.tasks.findTaskIds("ab")).toHaveLength(10);
      expect(await current.store.tasks.findTaskIds("")).toHaveLength(10);
      for (const none of ["%", "_", "a%", "a_", "task_~", "ac0", "'"])
        expect(await current.store.tasks.findTaskIds(none)).toEqual([]);
      expect(await current.store.tasks.getTask("task_a")).toBeNull();
    });

    it("shortens ids to prefixes that find only this task, also beside similar ids", async () => {
      const ids = ["task_3k9x2f7m1q", "task_3k9x2f7m1z", "task_3k9x2f0000", "task_7fw65dkav4"];
      for (const id of ids) await current.store.tasks.createTask(creating(sampleTask({ id })));
      const short = await current.store.tasks.shortenIds("task", [...ids, "task_unknown"]);
      expect(Object.fromEntries(short)).toEqual({
        task_3k9x2f7m1q: "task_3k9x2f7m1q",
        task_3k9x2f7m1z: "task_3k9x2f7m1z",
        task_3k9x2f0000: "task_3k9x2f0",
        task_7fw65dkav4: "task_7fw65d",
      });
      for (const [id, prefix] of short) expect(await current.store.tasks.findTaskIds(prefix)).toEqual([id]);
      expect((await current.store.tasks.shortenIds("run", [])).size).toBe(0);
    });

    it("lists newest first in pages, each task once, also with equal times and new tasks in between", async () => {
      const ids: string[] = [];
      for (let i = 0; i < 10; i++) {
        const task = sampleTask({ createdAt: 1000 + Math.floor(i / 4) });
        ids.unshift(task.id);
        await current.store.tasks.createTask(creating(task));
      }
      const seen: string[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < 4; page++) {
        const { rows, next } = await current.store.tasks.listTasks({ ...ALL, cursor, limit: 3 });
        seen.push(...rows.map((task) => task.id));
        cursor = next;
        await current.store.tasks.createTask(creating(sampleTask({ createdAt: 5000 + page })));
      }
      expect(cursor).toBeNull();
      expect(seen).toEqual(ids);
    });

    it("returns no next page if the last one is exactly full", async () => {
      for (let i = 0; i < 3; i++) await current.store.tasks.createTask(creating(sampleTask()));
      expect((await current.store.tasks.listTasks({ ...ALL, limit: 3 })).next).toBeNull();
      expect((await current.store.tasks.listTasks({ ...ALL, limit: 2 })).next).not.toBeNull();
    });

    it("filters by status, state and project together", async () => {
      const wanted = sampleTask({ status: "waiting", state: "review", project: "a" });
      for (const task of [
        wanted,
        sampleTask({ status: "failed", state: "review", project: "a" }),
        sampleTask({ status: "waiting", state: "plan", project: "a" }),
        sampleTask({ status: "waiting", state: "review", project: "b" }),
      ])
        await current.store.tasks.createTask(creating(task));
      const query: ListTasksQuery = { ...ALL, status: ["waiting", "running"], state: "review", project: "a" };
      expect((await current.store.tasks.listTasks(query)).rows).toEqual([wanted]);
      expect((await current.store.tasks.listTasks({ ...ALL, status: [] })).rows).toEqual([]);
      expect((await current.store.tasks.listTasks({ ...ALL, status: ["waiting"] })).rows).toHaveLength(3);
    });

    it("lists tasks of several statuses newest first, in pages", async () => {
      const ids: string[] = [];
      for (const [index, status] of (
        ["failed", "queued", "failed", "waiting", "queued", "running"] as const
      ).entries()) {
        const task = sampleTask({ status, state: "review", createdAt: 1000 + Math.floor(index / 2) });
        if (status !== "queued") ids.unshift(task.id);
        await current.store.tasks.createTask(creating(task));
      }
      const status = ["running", "failed", "waiting", "failed"] as const;
      for (const query of [{ status }, { status, state: "review" }]) {
        const first = await current.store.tasks.listTasks({ ...ALL, ...query, limit: 3 });
        const second = await current.store.tasks.listTasks({ ...ALL, ...query, limit: 3, cursor: first.next });
        expect([...first.rows, ...second.rows].map(({ id }) => id)).toEqual(ids);
        expect(second.next).toBeNull();
      }
      expect((await current.store.tasks.listTasks({ ...ALL, state: "review" })).rows).toHaveLength(6);
    });

    it("lists the tasks that ended in a period, oldest first", async () => {
      const [late, early, open] = [sampleTask({ finishedAt: 2999 }), sampleTask({ finishedAt: 2000 }), sampleTask()];
      for (const task of [late, early, open, sampleTask({ finishedAt: 3000 }), sampleTask({ finishedAt: 1999 })])
        await current.store.tasks.createTask(creating(task));
      expect(await current.store.tasks.listEndedTaskIds(2000, 3000)).toEqual([early.id, late.id]);
      expect(await current.store.tasks.listEndedTaskIds(3000, 2000)).toEqual([]);
    });

    it("filters by the reason for which a task is queued", async () => {
      const wanted = sampleTask({ status: "queued", queuedFor: { until: 9000, kind: "budget" } });
      for (const task of [wanted, sampleTask({ queuedFor: { kind: "backoff", until: 9000 } }), sampleTask()])
        await current.store.tasks.createTask(creating(task));
      expect((await current.store.tasks.listTasks({ ...ALL, queuedFor: "budget" })).rows).toEqual([wanted]);
    });

    it("lists only the tasks that wait for a choice about a dependency, whatever texts they contain", async () => {
      const choice = { kind: "choice", reason: '"about":"dependency"', options: [], since: 1 } as const;
      const wanted = sampleTask({ status: "waiting", waitingFor: { ...choice, about: "dependency" } });
      const others = [{ ...choice, about: "checks" } as const, choice].map((waitingFor) =>
        sampleTask({ status: "waiting", waitingFor }),
      );
      for (const task of [wanted, ...others]) await current.store.tasks.createTask(creating(task));
      expect((await current.store.tasks.listTasks({ ...ALL, about: "dependency" })).rows).toEqual([wanted]);
    });

    it("lists tasks without their variants, or only the variants, whatever texts they contain", async () => {
      const { options } = sampleTask();
      const task = sampleTask({ options: { ...options, model: '"variantOf":{' } });
      const variant = sampleTask({ options: { ...options, variantOf: { task: task.id, number: 1 } } });
      for (const each of [task, variant]) await current.store.tasks.createTask(creating(each));
      expect((await current.store.tasks.listTasks({ ...ALL, variants: "hide" })).rows).toEqual([task]);
      expect((await current.store.tasks.listTasks({ ...ALL, variants: "only" })).rows).toEqual([variant]);
    });

    it("lists only the tasks that have a plan", async () => {
      const wanted = sampleTask({ plan: { files: ["a.ts"] } });
      for (const task of [wanted, sampleTask({ plan: null })]) await current.store.tasks.createTask(creating(task));
      expect((await current.store.tasks.listTasks({ ...ALL, hasPlan: true })).rows).toEqual([wanted]);
    });

    it("lists only the tasks whose branch was published", async () => {
      const published = { head: "a".repeat(40), base: "main", people: null, seen: NOTHING_SEEN };
      const wanted = sampleTask({ published });
      for (const task of [wanted, sampleTask({ published: null })])
        await current.store.tasks.createTask(creating(task));
      expect((await current.store.tasks.listTasks({ ...ALL, isPublished: true })).rows).toEqual([wanted]);
    });

    it("rejects an invalid cursor", async () => {
      await expect(current.store.tasks.listTasks({ ...ALL, cursor: "' or 1=1" })).rejects.toThrow(UserError);
    });

    it("counts tasks of every status", async () => {
      await current.store.tasks.createTask(creating(sampleTask({ status: "failed" })));
      await current.store.tasks.createTask(creating(sampleTask({ status: "failed" })));
      const none = Object.fromEntries(TASK_STATUSES.map((status) => [status, 0]));
      expect(await current.store.tasks.countTasks()).toEqual({ ...none, failed: 2 });
    });
  });

  describe("deleteTask", () => {
    it("removes an ended task with its runs, checks and artifacts; its events stay", async () => {
      const { task, run, lease } = await startTask(current.store);
      const kept = await startTask(current.store);
      const event = sampleEvent({ task: task.id });
      await current.store.tasks.commit(
        committing(
          { ...task, status: "succeeded" },
          {
            lease,
            endRun: sampleEnd(run.id),
            events: [event],
            checks: [sampleCheck(run.id)],
            artifacts: [sampleArtifact()],
          },
        ),
      );
      await current.store.tasks.deleteTask(task.id, sampleEvent({ task: task.id, type: "task.deleted" }));
      expect(await current.store.tasks.getTask(task.id)).toBeNull();
      expect(await current.store.tasks.getRun(run.id)).toBeNull();
      expect(await current.store.tasks.listChecks(task.id)).toEqual([]);
      expect(await current.store.tasks.listArtifacts(task.id)).toEqual([]);
      const types = (await current.store.events.listEvents({ after: 0, task: task.id, limit: 10 })).map(
        ({ type }) => type,
      );
      expect(types).toEqual(["run.note", "task.deleted"]);
      expect(await current.store.tasks.getRun(kept.run.id)).not.toBeNull();
      expect(await current.store.checkIntegrity()).toEqual([]);
    });

    it("rejects a task that has not ended, and an unknown one", async () => {
      const { task } = await queueTask(current.store);
      await expect(current.store.tasks.deleteTask(task.id, sampleEvent())).rejects.toMatchObject({ kind: "conflict" });
      await expect(current.store.tasks.deleteTask("task_none", sampleEvent())).rejects.toMatchObject({
        kind: "not_found",
      });
      expect(await current.store.tasks.getTask(task.id)).not.toBeNull();
      expect(await current.store.events.lastEventId()).toBe(0);
    });
  });
}
