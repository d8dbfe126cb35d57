import { describe, expect, it } from "vitest";
import type { RecordedGrants } from "../../core/task/run-grants.ts";
import { LeaseLostError } from "../../core/text/errors.ts";
import type { Current } from "./current.ts";
import { SHUT, committing, queueTask, sampleEnd, sampleRun, startTask } from "./samples.ts";

const GRANTED: RecordedGrants = {
  limits: { timeoutMs: 1, maxTurns: null, budgetUsd: 0.5 },
  grants: {
    tools: [],
    commands: null,
    directories: [{ path: "/w", access: "read" }],
    network: ["x"],
    secrets: ["KEY"],
    mcp: [],
    sandbox: "none",
  },
};
const ALL = { task: null, status: null, project: null, limit: 100 };

export function testRuns(current: Current): void {
  describe("runs", () => {
    it("are taken when open: the token increases, they run, and the first start time stays", async () => {
      const { run } = await startTask(current.store);
      expect(run).toMatchObject({ status: "running", token: 1, startedAt: 1500 });
      await current.store.tasks.updateRun({ run: run.id, token: 1 }, { status: "paused" });
      expect(await current.store.tasks.takeRun(run.id, 1900)).toMatchObject({
        status: "running",
        token: 2,
        startedAt: 1500,
      });
    });

    it("are not taken when queued, ended or unknown", async () => {
      const { run: queued } = await queueTask(current.store);
      expect(await current.store.tasks.takeRun(queued.id, 1)).toBeNull();
      const { task, run, lease } = await startTask(current.store);
      await current.store.tasks.commit(committing(task, { lease, endRun: sampleEnd(run.id), admission: SHUT }));
      expect(await current.store.tasks.takeRun(run.id, 1)).toBeNull();
      expect(await current.store.tasks.takeRun("run_none", 1)).toBeNull();
      expect(await current.store.tasks.getRun(run.id)).toMatchObject({ token: 1, status: "succeeded" });
    });

    it("are found by the period in which they ended, oldest first", async () => {
      const ends = [2999, 2000, 3000, 1999];
      const ids: string[] = [];
      for (const finishedAt of ends) {
        const { task, run, lease } = await startTask(current.store);
        await current.store.tasks.commit(
          committing(task, { lease, endRun: sampleEnd(run.id, { finishedAt }), admission: SHUT }),
        );
        ids.push(run.id);
      }
      await startTask(current.store);
      const found = await current.store.tasks.listEndedRuns({ since: 2000, until: 3000 });
      expect(found.map(({ id }) => id)).toEqual([ids[1], ids[0]]);
    });

    it("give each of many concurrent takers a different token", async () => {
      const { run } = await startTask(current.store);
      const taken = await Promise.all(Array.from({ length: 20 }, () => current.store.tasks.takeRun(run.id, 1600)));
      expect(new Set(taken.map((one) => one?.token)).size).toBe(20);
      const holding = await Promise.all(
        taken.map((one) => current.store.tasks.holdsLease({ run: run.id, token: one?.token ?? -1 })),
      );
      expect(holding.filter(Boolean)).toHaveLength(1);
    });

    it("are updated by the holder of the lease, and only in the passed fields", async () => {
      const { run, lease } = await startTask(current.store);
      await current.store.tasks.updateRun(lease, {
        agentVersion: "1.2",
        model: "m",
        sandbox: "none",
        sessionId: "s",
        agent: "other",
        granted: GRANTED,
      });
      await current.store.tasks.updateRun(lease, { status: "paused", model: null });
      await current.store.tasks.updateRun(lease, {});
      const { status, ...rest } = run;
      expect(status).toBe("running");
      expect(await current.store.tasks.getRun(run.id)).toEqual({
        ...rest,
        status: "paused",
        agentVersion: "1.2",
        model: null,
        sandbox: "none",
        granted: GRANTED,
        sessionId: "s",
        agent: "other",
      });
    });

    it("are not updated with an old lease or after the run ended", async () => {
      const { task, run, lease } = await startTask(current.store);
      expect(await current.store.tasks.holdsLease(lease)).toBe(true);
      const newer = { run: run.id, token: 2 };
      await current.store.tasks.takeRun(run.id, 1600);
      expect(await current.store.tasks.holdsLease(lease)).toBe(false);
      await expect(current.store.tasks.updateRun(lease, { model: "x" })).rejects.toThrow(LeaseLostError);
      await expect(current.store.tasks.updateRun(lease, {})).rejects.toThrow(LeaseLostError);
      await current.store.tasks.commit(committing(task, { lease: newer, endRun: sampleEnd(run.id) }));
      expect(await current.store.tasks.holdsLease(newer)).toBe(false);
      await expect(current.store.tasks.updateRun(newer, { status: "paused" })).rejects.toThrow(LeaseLostError);
      await expect(current.store.tasks.updateRun({ run: "run_none", token: 0 }, {})).rejects.toThrow(LeaseLostError);
      expect(await current.store.tasks.getRun(run.id)).toMatchObject({ model: null, status: "succeeded" });
    });

    it("are found by prefix, with or without run_", async () => {
      const { task } = await queueTask(current.store, {}, { id: "run_ab1" });
      await current.store.tasks.commit(committing(task, { newRun: sampleRun(task, { id: "run_ab2" }) }));
      expect(await current.store.tasks.findRunIds("ab")).toEqual(["run_ab1", "run_ab2"]);
      expect(await current.store.tasks.findRunIds("run_ab2")).toEqual(["run_ab2"]);
      expect(await current.store.tasks.findRunIds("a%")).toEqual([]);
      expect((await current.store.tasks.shortenIds("run", ["run_ab1"])).get("run_ab1")).toBe("run_ab1");
      expect(await current.store.tasks.getRun("run_ab")).toBeNull();
    });

    it("are listed oldest first, limited to the newest, by task, status and project", async () => {
      const late = await queueTask(current.store, { project: "a" }, { createdAt: 3000 });
      const early = await queueTask(current.store, { project: "b" }, { createdAt: 2000 });
      const { run } = await startTask(current.store, { project: "a" });
      const ids = async (over: object) => (await current.store.tasks.listRuns({ ...ALL, ...over })).map(({ id }) => id);
      expect(await ids({})).toEqual([run.id, early.run.id, late.run.id]);
      expect(await ids({ limit: 2 })).toEqual([early.run.id, late.run.id]);
      expect(await ids({ project: "a" })).toEqual([run.id, late.run.id]);
      expect(await ids({ task: early.task.id })).toEqual([early.run.id]);
      expect(await ids({ status: ["running", "paused"] })).toEqual([run.id]);
      expect(await ids({ status: ["starting", "running"] })).toEqual([run.id, early.run.id, late.run.id]);
      expect(await ids({ status: ["starting", "running"], limit: 2 })).toEqual([early.run.id, late.run.id]);
      expect(await ids({ status: ["starting"], project: "a" })).toEqual([late.run.id]);
      expect(await ids({ status: [] })).toEqual([]);
    });

    it("are open when admitted and not ended", async () => {
      const { run, lease } = await startTask(current.store);
      const { task, run: ended, lease: held } = await startTask(current.store);
      await current.store.tasks.updateRun(lease, { status: "paused" });
      await current.store.tasks.commit(committing(task, { lease: held, endRun: sampleEnd(ended.id) }));
      await queueTask(current.store);
      expect((await current.store.tasks.listOpenRuns()).map(({ id }) => id)).toEqual([run.id]);
    });
  });
}
