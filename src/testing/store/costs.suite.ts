import { describe, expect, it } from "vitest";
import { COST_DIMENSIONS, sumUsd, type CostDimension } from "../../core/money/cost-dimensions.ts";
import { NO_TOKENS } from "../../core/task/run.ts";
import type { RunEnd } from "../../ports/store.ts";
import type { CostQuery, Spent } from "../../ports/store-money.ts";
import type { Task } from "../../core/task/task.ts";
import type { Current } from "./current.ts";
import { SHUT, committing, queueTask, sampleEnd, sampleEvent, sampleRun, startTask } from "./samples.ts";

const DAY = 86_400_000;
const TOKENS = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
const EVER: CostQuery = { since: 0, until: 9e15, project: null, by: [], timeZone: "UTC" };

interface Ended {
  readonly end: Partial<RunEnd>;
  readonly task?: Partial<Task>;
  readonly agent?: string;
  readonly model?: string;
}

export function testCosts(current: Current): void {
  async function endOne({ end, task: over = {}, agent = "scripted", model = "m" }: Ended): Promise<Task> {
    const { task, run, lease } = await startTask(current.store, over);
    await current.store.tasks.updateRun(lease, { agent, model });
    const ended = { ...task, status: "succeeded" } as const;
    await current.store.tasks.commit(
      committing(ended, { lease, endRun: sampleEnd(run.id, { tokens: TOKENS, costBasis: "metered", ...end }) }),
    );
    return ended;
  }

  const days = async (timeZone: string) =>
    (await current.store.money.costs({ ...EVER, by: ["day"], timeZone })).map(({ key, runs }) => [key.day, runs]);

  const one: Spent = {
    runs: 1,
    knownUsd: 0.25,
    unknownRuns: 0,
    tokens: TOKENS,
    unknownTokens: 0,
    basis: { reported: 0, metered: 1, computed: 0, unknown: 0 },
  };
  const NOTHING: Spent = {
    runs: 0,
    knownUsd: 0,
    unknownRuns: 0,
    tokens: NO_TOKENS,
    unknownTokens: 0,
    basis: { reported: 0, metered: 0, computed: 0, unknown: 0 },
  };

  describe("costs", () => {
    it("are grouped and sorted as requested, with unknown costs counted separately", async () => {
      const at = Date.UTC(2026, 1, 28);
      await endOne({ end: { finishedAt: at, costUsd: 0.25 } });
      await endOne({ end: { finishedAt: at + 1, costUsd: 0.5, costBasis: "computed" } });
      await endOne({ end: { finishedAt: at + 2, costUsd: null, costBasis: "unknown" } });
      await endOne({ end: { finishedAt: at + DAY, costUsd: 1 }, model: "a" });
      await endOne({
        end: { finishedAt: at + 3, costUsd: 2 },
        task: { project: "api", pipeline: "staged" },
        agent: "z",
      });
      const shop = {
        runs: 3,
        knownUsd: 0.75,
        unknownRuns: 1,
        tokens: { input: 3, output: 6, cacheRead: 9, cacheWrite: 12 },
        unknownTokens: 0,
        basis: { reported: 0, metered: 1, computed: 1, unknown: 1 },
      };
      expect(await current.store.money.costs({ ...EVER, by: ["day", "project"] })).toEqual([
        { key: { day: "2026-02-28", project: "api" }, ...one, knownUsd: 2 },
        { key: { day: "2026-02-28", project: "shop" }, ...shop },
        { key: { day: "2026-03-01", project: "shop" }, ...one, knownUsd: 1 },
      ]);
      const keys = (await current.store.money.costs({ ...EVER, by: ["model", "role", "agent", "pipeline"] })).map(
        ({ key }) => key,
      );
      expect(keys).toEqual([
        { model: "a", role: "implement", agent: "scripted", pipeline: "chore" },
        { model: "m", role: "implement", agent: "scripted", pipeline: "chore" },
        { model: "m", role: "implement", agent: "z", pipeline: "staged" },
      ]);
      expect(await current.store.money.costs({ ...EVER, by: ["agent"], project: "shop", until: at + DAY })).toEqual([
        { key: { agent: "scripted" }, ...shop },
      ]);
    });

    it("give the same total for every grouping", async () => {
      for (const [index, costUsd] of [0.1, 0.2, null, 0.3, 0.000_000_7].entries())
        await endOne({
          end: { finishedAt: index * DAY, costUsd },
          task: { project: `p${index % 2}` },
          model: `m${index % 3}`,
        });
      const cuts: CostDimension[][] = [[], ...COST_DIMENSIONS.map((each) => [each]), [...COST_DIMENSIONS]];
      for (const by of cuts) {
        const rows = await current.store.money.costs({ ...EVER, by });
        expect(sumUsd(rows.map(({ knownUsd }) => knownUsd))).toBe(0.600_000_7);
        expect(rows.reduce((sum, { runs }) => sum + runs, 0)).toBe(5);
        expect(rows.reduce((sum, { unknownRuns }) => sum + unknownRuns, 0)).toBe(1);
        expect(rows.reduce((sum, { tokens }) => sum + tokens.cacheWrite, 0)).toBe(20);
      }
      expect(await current.store.money.spent(EVER)).toMatchObject({ runs: 5, knownUsd: 0.600_000_7, unknownRuns: 1 });
    });

    it("use the days of the time zone, including short days and offsets of a quarter hour", async () => {
      // Daylight saving starts in Paris: the 29th begins at 23:00 UTC, the 30th at 22:00.
      for (const moment of ["2026-03-28T22:59:59.999Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"])
        await endOne({ end: { finishedAt: Date.parse(moment), costUsd: 1 } });
      expect(await days("Europe/Paris")).toEqual([
        ["2026-03-28", 1],
        ["2026-03-29", 1],
        ["2026-03-30", 1],
      ]);
      expect(await days("UTC")).toEqual([
        ["2026-03-28", 2],
        ["2026-03-29", 1],
      ]);
      // UTC+05:45: the day begins at 18:15 UTC.
      expect(await days("Asia/Kathmandu")).toEqual([
        ["2026-03-29", 2],
        ["2026-03-30", 1],
      ]);
    });

    it("sort missing values last", async () => {
      const { task, run, lease } = await startTask(current.store);
      await current.store.tasks.commit(committing(task, { lease, endRun: sampleEnd(run.id) }));
      await endOne({ end: {}, model: "zz" });
      const rows = await current.store.money.costs({ ...EVER, by: ["model"] });
      expect(rows.map(({ key }) => key)).toEqual([{ model: "zz" }, { model: null }]);
    });

    it("are kept when the task is deleted", async () => {
      const task = await endOne({ end: { costUsd: 0.25 } });
      await current.store.tasks.deleteTask(task.id, sampleEvent());
      expect(await current.store.tasks.getTask(task.id)).toBeNull();
      expect(await current.store.money.costs({ ...EVER, by: ["pipeline"] })).toEqual([
        { key: { pipeline: "chore" }, ...one },
      ]);
    });

    it("exclude runs that never started, still run, or have no agent", async () => {
      const { task } = await queueTask(current.store);
      await current.store.tasks.commit(
        committing(task, { endOthers: { status: "cancelled", at: 1000 }, admission: SHUT }),
      );
      const open = await startTask(current.store);
      const checks = sampleRun(open.task, { step: "checks", role: null, agent: null });
      const { task: next } = await current.store.tasks.commit(committing(open.task, { newRun: checks }));
      await current.store.tasks.takeRun(checks.id, 1500);
      await current.store.tasks.commit(committing(next, { endRun: sampleEnd(checks.id) }));
      expect(await current.store.money.costs({ ...EVER, by: ["day"] })).toEqual([]);
      expect(await current.store.money.spent(EVER)).toEqual(NOTHING);
    });

    it("count a started run that was ended from outside as unknown", async () => {
      const { task } = await startTask(current.store);
      await current.store.tasks.commit(committing(task, { endOthers: { status: "cancelled", at: 7 } }));
      expect(await current.store.money.spent({ since: 7, until: 8, project: null })).toEqual({
        ...NOTHING,
        runs: 1,
        unknownRuns: 1,
        unknownTokens: 1,
        basis: { ...NOTHING.basis, unknown: 1 },
      });
    });

    it("are not written if the end of the run is not", async () => {
      const { task, run, lease } = await startTask(current.store);
      const stale = committing(task, { lease, expectedVersion: 7, endRun: sampleEnd(run.id) });
      await expect(current.store.tasks.commit(stale)).rejects.toBeInstanceOf(Error);
      expect(await current.store.money.spent(EVER)).toEqual(NOTHING);
    });
  });

  describe("spent", () => {
    it("is the sum of a period with an exclusive end, of one project or all", async () => {
      await endOne({ end: { finishedAt: 1000, costUsd: 0.1 } });
      await endOne({ end: { finishedAt: 1999, costUsd: 0.2 }, task: { project: "api" } });
      await endOne({ end: { finishedAt: 1999, costUsd: null, costBasis: "unknown", tokens: NO_TOKENS } });
      await endOne({ end: { finishedAt: 2000, costUsd: 5 } });
      const time = { since: 1000, until: 2000 };
      expect(await current.store.money.spent({ ...time, project: null })).toEqual({
        runs: 3,
        knownUsd: 0.3,
        unknownRuns: 1,
        tokens: { input: 2, output: 4, cacheRead: 6, cacheWrite: 8 },
        unknownTokens: 1,
        basis: { reported: 0, metered: 2, computed: 0, unknown: 1 },
      });
      expect(await current.store.money.spent({ ...time, project: "api" })).toEqual({ ...one, knownUsd: 0.2 });
      expect(await current.store.money.spent({ ...time, project: "none" })).toEqual(NOTHING);
      expect(await current.store.money.spent({ since: 2000, until: 1000, project: null })).toEqual(NOTHING);
    });

    it("is the same after a restart", async (context) => {
      if (current.reopen === null) return context.skip();
      await endOne({ end: { costUsd: 0.25 } });
      const store = await current.reopen();
      expect(await store.money.spent(EVER)).toEqual(one);
    });
  });
}
