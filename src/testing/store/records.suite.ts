import { describe, expect, it } from "vitest";
import { NO_TOKENS } from "../../core/run.ts";
import type { TokenRow } from "../../ports/store.ts";
import type { Current } from "./current.ts";
import { SHUT, committing, queueTask, sampleEnd, sampleEvent, sampleProject, startTask } from "./samples.ts";

const DAY = 86_400_000;

export function testRecords(current: Current): void {
  describe("pipelines and projects", () => {
    it("keep the text of a pipeline under its hash", async () => {
      expect(await current.store.getPipeline("h")).toBeNull();
      await current.store.keepPipeline("h", "chore", "text");
      await current.store.keepPipeline("h", "chore", "text");
      expect(await current.store.getPipeline("h")).toEqual({ name: "chore", text: "text" });
    });

    it("save, replace, list and remove projects", async () => {
      const [shop, api] = [sampleProject(), sampleProject({ name: "api", path: null })];
      await current.store.saveProject(shop, sampleEvent());
      await current.store.saveProject(api, sampleEvent());
      const changed = { ...shop, accepted: '{"checks":1}', acceptedAt: 2000 };
      await current.store.saveProject(changed, sampleEvent({ type: "project.trusted" }));
      expect(await current.store.getProject("shop")).toEqual(changed);
      expect(await current.store.listProjects()).toEqual([api, changed]);
      expect(await current.store.listEvents({ after: 0, task: null, limit: 9 })).toHaveLength(3);
      await current.store.removeProject("shop");
      await current.store.removeProject("shop");
      expect(await current.store.getProject("shop")).toBeNull();
    });
  });

  describe("tokens and answers", () => {
    const token: TokenRow = { name: "ada", hash: "h1", rights: ["submit", "approve"], createdAt: 5 };

    it("find a token by its hash and refuse a second one of the same name", async () => {
      await current.store.addToken(token);
      await expect(current.store.addToken({ ...token, hash: "h2" })).rejects.toMatchObject({ kind: "conflict" });
      expect(await current.store.findToken("h1")).toEqual(token);
      expect(await current.store.findToken("h2")).toBeNull();
      expect(await current.store.listTokens()).toEqual([token]);
      expect(await current.store.removeToken("ada")).toBe(true);
      expect(await current.store.removeToken("ada")).toBe(false);
      expect(await current.store.findToken("h1")).toBeNull();
    });

    it("recall the first answer to a key, and forget it after a day", async () => {
      const answer = { request: "r", status: 201, body: "{}" };
      expect(await current.store.recallAnswer("k")).toBeNull();
      await current.store.keepAnswer("k", answer, 1000);
      await current.store.keepAnswer("k", { ...answer, body: "another" }, 2000);
      await current.store.keepAnswer("later", answer, 999 + DAY);
      expect(await current.store.recallAnswer("k")).toEqual(answer);
      await current.store.keepAnswer("even later", answer, 1000 + DAY);
      expect(await current.store.recallAnswer("k")).toBeNull();
      expect(await current.store.recallAnswer("later")).toEqual(answer);
    });
  });

  const end = async (finishedAt: number, costUsd: number | null, over: { project?: string } = {}): Promise<void> => {
    const { task, run, lease } = await startTask(current.store, over);
    await current.store.updateRun(lease, { model: "m" });
    const tokens = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
    await current.store.commit(committing(task, { lease, endRun: sampleEnd(run.id, { finishedAt, costUsd, tokens }) }));
  };

  describe("costs", () => {
    it("are sums by day in UTC, project, pipeline, role, agent and model; unknown costs are counted apart", async () => {
      const day = Date.UTC(2026, 1, 28);
      await end(day, 0.25);
      await end(day + DAY - 1, 0.5);
      await end(day + 5, null);
      await end(day + DAY, 1);
      await end(day + 5, 2, { project: "api" });
      const group = { pipeline: "chore", role: "implement", agent: "scripted", model: "m" };
      const row = {
        ...group,
        day: "2026-02-28",
        project: "shop",
        unknownCost: 0,
        runs: 1,
        tokens: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
      };
      const sum = {
        ...row,
        runs: 3,
        costUsd: 0.75,
        unknownCost: 1,
        tokens: { input: 3, output: 6, cacheRead: 9, cacheWrite: 12 },
      };
      const query = { since: day, until: day + 2 * DAY, project: null };
      expect(await current.store.costs(query)).toEqual([
        { ...row, project: "api", costUsd: 2 },
        sum,
        { ...row, day: "2026-03-01", costUsd: 1 },
      ]);
      expect(await current.store.costs({ ...query, until: day + DAY, project: "shop" })).toEqual([sum]);
      expect(await current.store.costs({ ...query, since: day + 2 * DAY })).toEqual([]);
    });

    it("leave out runs that never started and those that still run", async () => {
      const { task } = await queueTask(current.store);
      await current.store.commit(committing(task, { endOthers: { status: "cancelled", at: 1000 }, admission: SHUT }));
      await startTask(current.store);
      expect(await current.store.costs({ since: 0, until: DAY, project: null })).toEqual([]);
    });

    it("are zero for runs of unknown cost only", async () => {
      await end(10, null);
      const [row] = await current.store.costs({ since: 0, until: DAY, project: null });
      expect(row).toMatchObject({ costUsd: 0, unknownCost: 1, runs: 1 });
      expect(row?.tokens).not.toEqual(NO_TOKENS);
    });
  });

  describe("the database itself", () => {
    it("is whole, and closes twice", async () => {
      await startTask(current.store);
      expect(await current.store.checkIntegrity()).toEqual([]);
      await current.store.close();
      await expect(current.store.close()).resolves.toBeUndefined();
      await expect(current.store.countTasks()).rejects.toBeInstanceOf(Error);
    });

    it("finishes what was asked for before it closes", async () => {
      const pending = current.store.appendEvents([sampleEvent()]);
      await current.store.close();
      expect(await pending).toHaveLength(1);
    });

    it("is the same after a restart", async (context) => {
      if (current.reopen === null) return context.skip();
      const { task, run, lease } = await startTask(current.store);
      await current.store.updateRun(lease, { sessionId: "s" });
      const store = await current.reopen();
      expect(await store.getTask(task.id)).toEqual(task);
      expect(await store.getRun(run.id)).toEqual({ ...run, sessionId: "s" });
      expect(await store.holdsLease(lease)).toBe(true);
    });
  });
}
