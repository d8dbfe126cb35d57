import { describe, expect, it } from "vitest";
import { HELD } from "../../core/task/run.ts";
import type { Current } from "./current.ts";
import { OPEN, SHUT, committing, creating, queueTask, sampleEnd, sampleRun, sampleTask, startTask } from "./samples.ts";

export function testAdmission(current: Current): void {
  describe("admission", () => {
    it("orders by priority, then age of the task, then age of the run", async () => {
      const normalYoung = await queueTask(current.store, { createdAt: 3000 });
      const normalOld = await queueTask(current.store, { createdAt: 2000 });
      const low = await queueTask(current.store, { priority: "low", createdAt: 1 });
      const urgent = await queueTask(current.store, { priority: "urgent", createdAt: 9000 });
      const high = await queueTask(current.store, { priority: "high", createdAt: 8000 });
      const second = sampleRun(normalOld.task, { createdAt: 1001 });
      await current.store.tasks.commit(committing(normalOld.task, { newRun: second, admission: SHUT }));
      const order = [urgent.run.id, high.run.id, normalOld.run.id, second.id, normalYoung.run.id, low.run.id];
      expect(await current.store.tasks.admit({ ...OPEN, total: 2 })).toEqual(order.slice(0, 2));
      expect(await current.store.tasks.admit(OPEN)).toEqual(order.slice(2));
      expect(await current.store.tasks.admit(OPEN)).toEqual([]);
    });

    it("uses a priority that changed while the run was queued", async () => {
      const first = await queueTask(current.store, { createdAt: 1 });
      const second = await queueTask(current.store, { createdAt: 2 });
      await current.store.tasks.commit(committing({ ...second.task, priority: "high" }, { admission: SHUT }));
      expect(await current.store.tasks.admit({ ...OPEN, total: 1 })).toEqual([second.run.id]);
      expect(await current.store.tasks.admit({ ...OPEN, total: 2 })).toEqual([first.run.id]);
    });

    it("admits a run before its start time if its task was woken, and no other", async () => {
      const later = { notBefore: OPEN.at + 1 };
      const woken = await queueTask(current.store, {}, later);
      await queueTask(current.store, {}, later);
      expect(await current.store.tasks.admit(OPEN)).toEqual([]);
      const { admitted } = await current.store.tasks.commit(committing(woken.task, { wake: true }));
      expect(admitted).toEqual([woken.run.id]);
      expect(await current.store.tasks.getRun(woken.run.id)).toMatchObject({ notBefore: null });
    });

    it("admits a held run only after its task was woken, also if it was created while the clock was wrong", async () => {
      const held = await queueTask(current.store, {}, { notBefore: HELD, createdAt: OPEN.at + 1 });
      await queueTask(current.store, { status: "waiting" }, { notBefore: HELD });
      expect(await current.store.tasks.admit(OPEN)).toEqual([]);
      const { admitted } = await current.store.tasks.commit(committing(held.task, { wake: true }));
      expect(admitted).toEqual([held.run.id]);
    });

    it("counts starting, running and paused runs against the limit", async () => {
      await queueTask(current.store);
      await current.store.tasks.admit(OPEN);
      await startTask(current.store);
      const { lease } = await startTask(current.store);
      await current.store.tasks.updateRun(lease, { status: "paused" });
      const { run } = await queueTask(current.store);
      expect(await current.store.tasks.admit({ ...OPEN, total: 3 })).toEqual([]);
      expect(await current.store.tasks.admit({ ...OPEN, perProject: 3 })).toEqual([]);
      expect(await current.store.tasks.admit({ ...OPEN, total: 4, perProject: 4 })).toEqual([run.id]);
    });

    it("skips runs of a full project, however many are ahead", async () => {
      for (let i = 0; i < 9; i++) await queueTask(current.store, { project: "full", priority: "urgent" });
      const shut = await queueTask(current.store, { project: "shut", priority: "urgent" });
      const other = await queueTask(current.store, { project: "other" });
      const limits = { ...OPEN, total: 3, perProject: 1, projects: { full: 2, shut: 0 } };
      const admitted = await current.store.tasks.admit(limits);
      expect(admitted).toHaveLength(3);
      expect(admitted).toContain(other.run.id);
      expect(admitted).not.toContain(shut.run.id);
    });

    it("admits named projects even if others may run nothing", async () => {
      for (let i = 0; i < 5; i++) await queueTask(current.store, { project: `p${i}`, priority: "high" });
      const { run } = await queueTask(current.store, { project: "named" });
      expect(await current.store.tasks.admit({ ...OPEN, total: 2, perProject: 0, projects: { named: 1 } })).toEqual([
        run.id,
      ]);
    });

    it("admits a long queue completely without limits", async () => {
      for (let i = 0; i < 450; i++) await queueTask(current.store, { project: `p${i % 7}` });
      const limits = { ...OPEN, total: Infinity, perProject: Infinity, projects: { p0: 3 } };
      expect(await current.store.tasks.admit(limits)).toHaveLength(450 - 65 + 3);
    });

    it("accepts any project name", async () => {
      const { run } = await queueTask(current.store, { project: "constructor" });
      expect(await current.store.tasks.admit({ ...OPEN, perProject: 1 })).toEqual([run.id]);
    });

    it("excludes paused tasks and runs with a future start time", async () => {
      const paused = await queueTask(current.store, { status: "paused" });
      const later = await queueTask(current.store, {}, { notBefore: OPEN.at + 1 });
      const now = await queueTask(current.store, {}, { notBefore: OPEN.at });
      const agentless = await queueTask(current.store, {}, { agent: null });
      expect(await current.store.tasks.admit(OPEN)).toEqual([now.run.id, agentless.run.id]);
      expect(await current.store.tasks.admit({ ...OPEN, at: OPEN.at + 1 })).toEqual([later.run.id]);
      await current.store.tasks.commit(committing({ ...paused.task, status: "queued" }, { admission: SHUT }));
      expect(await current.store.tasks.admit(OPEN)).toEqual([paused.run.id]);
    });

    it("does not wait for a start time that was set while the clock was ahead", async () => {
      const ahead = OPEN.at + 1_000_000_000;
      const { run } = await queueTask(current.store, {}, { createdAt: ahead, notBefore: ahead + 1 });
      expect(await current.store.tasks.admit(OPEN)).toEqual([run.id]);
    });

    it("is part of a commit: the end of one run admits another", async () => {
      const limits = { ...OPEN, total: 1 };
      const { task, run, lease } = await startTask(current.store);
      const waiting = sampleTask();
      const queued = sampleRun(waiting);
      expect(
        (await current.store.tasks.createTask(creating(waiting, { run: queued, admission: limits }))).admitted,
      ).toEqual([]);
      const result = await current.store.tasks.commit(
        committing(task, { lease, endRun: sampleEnd(run.id), admission: limits }),
      );
      expect(result.admitted).toEqual([queued.id]);
      expect(await current.store.tasks.getRun(queued.id)).toMatchObject({ status: "starting" });
    });

    it("keeps the limit and admits no run twice with twenty concurrent calls", async () => {
      for (let i = 0; i < 30; i++) await queueTask(current.store, { project: `p${i % 3}` });
      const limits = { ...OPEN, total: 7, perProject: 3 };
      const admitted = (await Promise.all(Array.from({ length: 20 }, () => current.store.tasks.admit(limits)))).flat();
      expect(admitted).toHaveLength(7);
      expect(new Set(admitted).size).toBe(7);
      const open = await current.store.tasks.listOpenRuns();
      expect(open).toHaveLength(7);
      for (const project of ["p0", "p1", "p2"])
        expect(open.filter((run) => run.project === project).length).toBeLessThanOrEqual(3);
    });
  });
}
