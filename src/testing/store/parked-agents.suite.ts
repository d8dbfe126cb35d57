import { describe, expect, it } from "vitest";
import { StaleTaskError } from "../../core/text/errors.ts";
import type { ParkedAgent } from "../../core/task/parked-agent.ts";
import type { Task } from "../../core/task/task.ts";
import type { Store } from "../../ports/store.ts";
import type { Current } from "./current.ts";
import {
  OPEN,
  SHUT,
  committing,
  creating,
  queueTask,
  sampleEnd,
  sampleEvent,
  sampleRun,
  sampleTask,
} from "./samples.ts";

const ACCOUNT = "claude-code";
const UNTIL = OPEN.at + 60_000;
const PARKED: ParkedAgent = {
  account: ACCOUNT,
  agent: "claude",
  kind: "provider",
  reason: "It is “down”.",
  since: OPEN.at,
  tries: 1,
  until: UNTIL,
  probe: null,
};
const SHOWN = { kind: "provider", until: UNTIL, reason: "It is “down”.", agent: "claude" } as const;
const LATER = { ...OPEN, at: UNTIL };

export function testParkedAgents(current: Current): void {
  const queue = (over: Partial<Task> = {}) =>
    queueTask(current.store, { queuedFor: null, ...over }, { account: ACCOUNT });
  const change = async (before: ParkedAgent | null, after: ParkedAgent | null): Promise<void> => {
    const task = (await current.store.tasks.createTask(creating(sampleTask({ queuedFor: null }), { admission: SHUT })))
      .task;
    const parking = { account: ACCOUNT, before, after };
    await current.store.tasks.commit(committing(task, { parking, admission: SHUT }));
  };
  const queuedFor = async (id: string) => (await current.store.tasks.getTask(id))?.queuedFor;
  const probeOf = async () => (await current.store.agents.getParked(ACCOUNT))?.probe;

  describe("parked agents", () => {
    it("admits no run of the agent until the probe is due, then one, and the rest after the unparking", async () => {
      const [first, second] = [await queue({ createdAt: 1 }), await queue({ createdAt: 2 })];
      const other = await queueTask(current.store, {}, { account: "codex" });
      await change(null, PARKED);
      expect(await current.store.tasks.admit(OPEN)).toEqual([other.run.id]);
      expect(await current.store.tasks.admit(LATER)).toEqual([first.run.id]);
      expect(await probeOf()).toBe(first.run.id);
      expect(await current.store.tasks.admit(LATER)).toEqual([]);
      const [probed] = await current.store.agents.listParked();
      await change(probed ?? null, null);
      expect(await current.store.tasks.admit(LATER)).toEqual([second.run.id]);
      expect(await current.store.agents.listParked()).toEqual([]);
    });

    it("probes with the next run if the probe ended without changing anything", async () => {
      const [first, second] = [await queue({ createdAt: 1 }), await queue({ createdAt: 2 })];
      await change(null, PARKED);
      await current.store.tasks.admit(LATER);
      const task = await requireTask(current.store, first.task.id);
      const cancelled = sampleEnd(first.run.id, { status: "cancelled", outcome: "cancel" });
      const { admitted } = await current.store.tasks.commit(committing(task, { endRun: cancelled, admission: LATER }));
      expect(admitted).toEqual([second.run.id]);
    });

    it("shows the parking in every waiting task, and keeps other reasons to wait", async () => {
      const waiting = await queue();
      const budget = await queue({ queuedFor: { kind: "budget", until: 9 } });
      const other = await queueTask(current.store, { queuedFor: null }, { account: "codex" });
      await change(null, PARKED);
      const late = await queue();
      const submitted = sampleTask({ queuedFor: null });
      const run = sampleRun(submitted, { account: ACCOUNT });
      const created = await current.store.tasks.createTask(creating(submitted, { run, admission: SHUT }));
      expect(created.task.queuedFor).toEqual(SHOWN);
      for (const { task } of [waiting, late]) expect(await queuedFor(task.id)).toEqual(SHOWN);
      expect(await queuedFor(budget.task.id)).toMatchObject({ kind: "budget" });
      expect(await queuedFor(other.task.id)).toBeNull();

      const longer = { ...PARKED, tries: 2, until: UNTIL + 120_000 };
      await change(PARKED, longer);
      expect(await queuedFor(waiting.task.id)).toEqual({ ...SHOWN, until: longer.until });
      await change(longer, null);
      for (const { task } of [waiting, late]) expect(await queuedFor(task.id)).toBeNull();
      expect(await queuedFor(budget.task.id)).toMatchObject({ kind: "budget" });
    });

    it("a task that was marked has a new version, so that an older write is rejected", async () => {
      const { task } = await queue();
      await change(null, PARKED);
      await expect(current.store.tasks.commit(committing(task))).rejects.toThrow(StaleTaskError);
    });

    it("rejects a change that is based on an older state, so that an agent is parked once", async () => {
      await change(null, PARKED);
      await expect(change(null, PARKED)).rejects.toThrow(StaleTaskError);
      await expect(change({ ...PARKED, tries: 2 }, null)).rejects.toThrow(StaleTaskError);
      expect(await current.store.agents.listParked()).toEqual([PARKED]);
    });

    it("a requested probe is due at once and is recorded; nothing happens for an agent that is not parked", async () => {
      const { run } = await queue();
      await change(null, PARKED);
      const before = await current.store.events.lastEventId();
      await current.store.agents.requestProbe(["codex"], OPEN.at, sampleEvent());
      await current.store.agents.requestProbe([], OPEN.at, sampleEvent());
      expect(await current.store.events.lastEventId()).toBe(before);
      await current.store.agents.requestProbe([ACCOUNT], OPEN.at, sampleEvent({ type: "agent.retried" }));
      expect(await current.store.events.lastEventId()).toBe(before + 1);
      expect(await current.store.tasks.admit(OPEN)).toEqual([run.id]);
    });

    it("waking a task makes a probe of its agent due, and of no other", async () => {
      const first = await queue({ createdAt: 1 });
      await change(null, PARKED);
      const other = await queueTask(current.store, {}, { account: "codex" });
      expect((await current.store.tasks.commit(committing(other.task, { wake: true }))).admitted).toEqual([
        other.run.id,
      ]);
      const task = await requireTask(current.store, first.task.id);
      expect((await current.store.tasks.commit(committing(task, { wake: true }))).admitted).toEqual([first.run.id]);
    });

    it("moves a waiting task to another account", async () => {
      const { task, run } = await queue();
      await change(null, PARKED);
      expect(await current.store.agents.listWaitingTasks(ACCOUNT, 10)).toEqual([task.id]);
      const now = await requireTask(current.store, task.id);
      const { admitted } = await current.store.tasks.commit(
        committing({ ...now, queuedFor: null }, { account: "codex" }),
      );
      expect(admitted).toEqual([run.id]);
      expect(await current.store.tasks.getRun(run.id)).toMatchObject({ account: "codex" });
      expect(await current.store.agents.listWaitingTasks(ACCOUNT, 10)).toEqual([]);
    });

    it("does not wait for a probe time that was set while the clock was ahead", async () => {
      const { run } = await queue();
      const ahead = OPEN.at + 1_000_000_000;
      await change(null, { ...PARKED, since: ahead, until: ahead + 60_000 });
      expect(await current.store.tasks.admit(OPEN)).toEqual([run.id]);
    });

    it("admits runs behind a long queue of a parked agent", async () => {
      for (let i = 0; i < 450; i++) await queue({ priority: "high" });
      const other = await queueTask(current.store, {}, { account: "codex" });
      await change(null, PARKED);
      expect(await current.store.tasks.admit({ ...OPEN, total: 2 })).toEqual([other.run.id]);
      expect(await current.store.tasks.admit({ ...LATER, total: 3 })).toHaveLength(1);
    });
  });
}

async function requireTask(store: Store, id: string): Promise<Task> {
  const task = await store.tasks.getTask(id);
  if (task === null) throw new Error(`no task ${id}`);
  return task;
}
