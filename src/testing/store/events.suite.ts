import { describe, expect, it } from "vitest";
import { StaleTaskError } from "../../core/text/errors.ts";
import type { Event } from "../../core/task/event.ts";
import type { NewNotice, Notice } from "../../ports/store.ts";
import type { Current } from "./current.ts";
import { committing, creating, sampleEvent, sampleNotice, sampleProject, sampleTask, startTask } from "./samples.ts";

export function testEvents(current: Current): void {
  describe("events", () => {
    it("are appended with increasing ids and read back complete, oldest first", async () => {
      expect(await current.store.events.lastEventId()).toBe(0);
      const draft = sampleEvent({
        task: "task_a",
        run: "run_a",
        actor: { kind: "person", name: "ada" },
        level: "warning",
      });
      const events = await current.store.events.appendEvents([draft, sampleEvent(), sampleEvent({ task: "task_a" })]);
      const [first, second, third] = events;
      expect(first).toEqual({ ...draft, id: expect.any(Number) });
      expect(events.map(({ id }) => id)).toEqual(events.map(({ id }) => id).toSorted((a, b) => a - b));
      expect(await current.store.events.listEvents({ after: 0, task: null, limit: 10 })).toEqual(events);
      expect(await current.store.events.listEvents({ after: first?.id ?? -1, task: null, limit: 1 })).toEqual([second]);
      expect(await current.store.events.listEvents({ after: first?.id ?? -1, task: "task_a", limit: 10 })).toEqual([
        third,
      ]);
      expect(await current.store.events.lastEventId()).toBe(third?.id);
      expect(await current.store.events.appendEvents([])).toEqual([]);
    });

    it("are found by their type in a period, oldest first", async () => {
      const parked = { type: "agent.parked", at: 2999 } as const;
      await current.store.events.appendEvents([
        sampleEvent(parked),
        sampleEvent({ at: 2500 }),
        sampleEvent({ type: "agent.unparked", at: 2000 }),
        sampleEvent({ ...parked, at: 3000 }),
        sampleEvent({ ...parked, at: 1999 }),
      ]);
      const found = await current.store.events.listEventsIn({ since: 2000, until: 3000 }, [
        "agent.parked",
        "agent.unparked",
      ]);
      expect(found.map(({ type, at }) => [type, at])).toEqual([
        ["agent.unparked", 2000],
        ["agent.parked", 2999],
      ]);
    });

    it("about decisions are read newest first, of one task or of all, in pages", async () => {
      const decided = { type: "task.decided", task: "task_a" } as const;
      const events = await current.store.events.appendEvents([
        sampleEvent({ ...decided, at: 5 }),
        sampleEvent({ at: 6, task: "task_a" }),
        sampleEvent({ ...decided, at: 7, task: "task_b" }),
        sampleEvent({ ...decided, at: 7 }),
      ]);
      const [oldest, , other, newest] = events;
      const list = (task: string | null, cursor: string | null, limit: number) =>
        current.store.events.listDecisions({ task, cursor, limit });
      expect(await list(null, null, 10)).toEqual({ rows: [newest, other, oldest], next: null });
      expect(await list("task_a", null, 10)).toEqual({ rows: [newest, oldest], next: null });
      const first = await list(null, null, 1);
      expect(first.rows).toEqual([newest]);
      expect(await list(null, first.next, 2)).toEqual({ rows: [other, oldest], next: null });
    });

    it("keep increasing ids across a restart", async (context) => {
      if (current.reopen === null) return context.skip();
      const [event] = await current.store.events.appendEvents([sampleEvent()]);
      const store = await current.reopen();
      const [later] = await store.events.appendEvents([sampleEvent()]);
      expect(later?.id).toBeGreaterThan(event?.id ?? Infinity);
    });

    it("are passed to every listener after the commit, in order, until it unsubscribes", async () => {
      const received: Event[] = [];
      const stop = current.store.events.onEvents((events) => received.push(...events));
      await Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          current.store.events.appendEvents([sampleEvent({ data: { i } }), sampleEvent()]),
        ),
      );
      expect(received).toEqual(await current.store.events.listEvents({ after: 0, task: null, limit: 100 }));
      stop();
      await current.store.events.appendEvents([sampleEvent()]);
      expect(received).toHaveLength(60);
    });

    it("are passed to listeners by every method that writes events, before it resolves", async () => {
      const types: string[] = [];
      current.store.events.onEvents((events) => types.push(...events.map(({ type }) => type)));
      const task = sampleTask({ status: "failed" });
      await current.store.tasks.createTask(creating(task, { events: [sampleEvent({ type: "task.submitted" })] }));
      expect(types).toEqual(["task.submitted"]);
      await current.store.tasks.commit(committing(task, { events: [sampleEvent({ type: "task.ended" })] }));
      await current.store.projects.saveProject(sampleProject(), sampleEvent({ type: "project.registered" }));
      await current.store.tasks.deleteTask(task.id, sampleEvent({ type: "task.deleted" }));
      expect(types).toEqual(["task.submitted", "task.ended", "project.registered", "task.deleted"]);
      await expect(current.store.tasks.commit(committing(task, { events: [sampleEvent()] }))).rejects.toThrow(
        StaleTaskError,
      );
      expect(types).toHaveLength(4);
    });

    it("are committed when listeners receive them", async () => {
      const { task } = await startTask(current.store);
      const seen = new Promise((resolve) =>
        current.store.events.onEvents(() => resolve(current.store.tasks.getTask(task.id))),
      );
      await current.store.tasks.commit(committing({ ...task, state: "checks" }, { events: [sampleEvent()] }));
      expect(await seen).toMatchObject({ state: "checks", version: 2 });
    });

    it("are written even if a listener throws, and other listeners still receive them", async () => {
      const received: Event[] = [];
      current.store.events.onEvents(() => {
        throw new Error("the screen is gone");
      });
      current.store.events.onEvents((events) => received.push(...events));
      const events = await current.store.events.appendEvents([sampleEvent()]);
      expect(received).toEqual(events);
    });
  });

  const send = async (...notices: readonly Partial<NewNotice>[]): Promise<void> => {
    const full = notices.map((notice) => sampleNotice({ title: `at ${notice.at}`, ...notice }));
    await current.store.tasks.createTask(creating(sampleTask(), { notices: full }));
  };
  const due = async (at: number, limit = 10) =>
    (await current.store.outbox.dueNotices(at, limit)).map(({ title }) => title);
  const next = async (at: number): Promise<Notice> => {
    const [notice] = await current.store.outbox.dueNotices(at, 1);
    if (notice === undefined) throw new Error(`nothing is due at ${at}`);
    return notice;
  };

  describe("outbox", () => {
    it("returns the next due notice of each channel, oldest first", async () => {
      await send(
        { at: 100 },
        { at: 200 },
        { at: 150, channel: "ntfy" },
        { at: 160, channel: "ntfy", project: "web" },
        { at: 300, channel: "webhook" },
      );
      expect(await due(99)).toEqual([]);
      expect(await due(200)).toEqual(["at 100", "at 150", "at 160"]);
      expect(await due(300, 2)).toEqual(["at 100", "at 150"]);
      expect(await next(100)).toEqual({
        ...sampleNotice({ at: 100, title: "at 100" }),
        id: expect.any(Number),
        attempts: 0,
      });
    });

    it("accepts notices without a task", async () => {
      await send({ at: 100, task: null });
      expect(await next(100)).toMatchObject({ task: null, project: "shop" });
    });

    it("keeps the order of a channel: later notices wait for one that is retried", async () => {
      await send({ at: 100 }, { at: 101 }, { at: 102, channel: "ntfy" });
      await current.store.outbox.markUndelivered((await next(200)).id, "no route", 500);
      expect(await due(499)).toEqual(["at 102"]);
      expect(await current.store.outbox.dueNotices(500, 1)).toMatchObject([{ title: "at 100", attempts: 1 }]);
      await current.store.outbox.markDelivered((await next(500)).id, 500);
      expect(await due(500)).toEqual(["at 101", "at 102"]);
    });

    it("no longer returns notices that were delivered, given up or dropped", async () => {
      await send({ at: 100 }, { at: 101 }, { at: 102 });
      await current.store.outbox.markDelivered((await next(200)).id, 200);
      await current.store.outbox.markUndelivered((await next(200)).id, "no such topic", null);
      await current.store.outbox.dropNotice((await next(200)).id, "no longer wanted");
      expect(await due(Number.MAX_SAFE_INTEGER)).toEqual([]);
    });

    it("still lists those of a task, with what became of them", async () => {
      await send(...[100, 101, 102, 103, 104].map((at) => ({ at, task: "task_x" })), { at: 105, task: "task_y" });
      await current.store.outbox.markDelivered((await next(200)).id, 200);
      await current.store.outbox.markUndelivered((await next(200)).id, "no such topic", null);
      await current.store.outbox.dropNotice((await next(200)).id, "no longer wanted");
      await current.store.outbox.markUndelivered((await next(200)).id, "no route", 500);
      const notices = await current.store.outbox.listTaskNotices("task_x");
      expect(notices.map(({ at, deliveredAt, nextAt, error }) => [at, deliveredAt, nextAt, error])).toEqual([
        [100, 200, null, null],
        [101, null, null, "no such topic"],
        [102, null, null, "no longer wanted"],
        [103, null, 500, "no route"],
        [104, null, 104, null],
      ]);
      expect(notices[0]).toMatchObject({ channel: sampleNotice().channel, kind: sampleNotice().kind, title: "at 100" });
    });
  });
}
