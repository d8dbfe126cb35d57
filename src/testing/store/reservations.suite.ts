import { describe, expect, it } from "vitest";
import type { BudgetLimit } from "../../core/money/budget.ts";
import { LeaseLostError } from "../../core/text/errors.ts";
import type { RunEnd } from "../../ports/store.ts";
import type { Current } from "./current.ts";
import { committing, sampleEnd, startTask } from "./samples.ts";

const NIGHT: BudgetLimit = { window: "night", project: "shop", usd: 10, timeZone: "UTC", since: 1000, until: 3000 };
const ALL: BudgetLimit = { ...NIGHT, project: null, usd: 12 };

type Started = Awaited<ReturnType<typeof startTask>>;

export function testReservations(current: Current): void {
  const started = (project = "shop"): Promise<Started> => startTask(current.store, { project });
  const end = ({ task, run, lease }: Started, over: Partial<RunEnd> = {}) =>
    current.store.tasks.commit(committing(task, { lease, endRun: sampleEnd(run.id, over) }));
  const use = async (limit: BudgetLimit) => (await current.store.money.listUse([limit])).map((each) => each.use);
  const reserve = ({ lease }: Started, maxUsd: number | null, limits: readonly BudgetLimit[] = [NIGHT]) =>
    current.store.money.reserve(lease, { limits, maxUsd });

  describe("reserve", () => {
    it("reserves money while the run is open, and counts the actual cost afterwards", async () => {
      const run = await started();
      expect(await reserve(run, 4)).toEqual({ kind: "allowed", usd: 4 });
      expect((await current.store.tasks.getRun(run.run.id))?.reservedUsd).toBe(4);
      expect(await use(NIGHT)).toEqual([{ spentUsd: 0, runs: 0, unknownRuns: 0, reservedUsd: 4, running: 1 }]);
      await end(run, { costUsd: 0.3 });
      expect(await use(NIGHT)).toEqual([{ spentUsd: 0.3, runs: 1, unknownRuns: 0, reservedUsd: 0, running: 0 }]);
    });

    it("gives the last dollars to one of two concurrent runs", async () => {
      const [first, second] = [await started(), await started()];
      const answers = await Promise.all([reserve(first, 7), reserve(second, 7)]);
      expect(answers).toEqual([
        { kind: "allowed", usd: 7 },
        { kind: "allowed", usd: 3 },
      ]);
      const third = await started();
      expect(await reserve(third, 7)).toMatchObject({ kind: "reserved", by: { limit: NIGHT, use: { running: 2 } } });
      expect((await current.store.tasks.getRun(third.run.id))?.reservedUsd).toBeNull();
      await end(first, { costUsd: 10 });
      expect(await reserve(third, 7)).toMatchObject({ kind: "spent", by: { use: { spentUsd: 10, runs: 1 } } });
    });

    it("never reserves more than is left, with many concurrent runs", async () => {
      const runs = await Promise.all(Array.from({ length: 12 }, () => started()));
      const answers = await Promise.all(runs.map((run) => reserve(run, 1.1)));
      const granted = answers.flatMap((each) => (each.kind === "allowed" ? [each.usd ?? 0] : []));
      expect(granted.length).toBe(10);
      expect(granted.reduce((sum, usd) => sum + usd, 0)).toBeCloseTo(10, 9);
    });

    it("gives a run without its own limit everything that is left", async () => {
      const run = await started();
      expect(await reserve(run, null)).toEqual({ kind: "allowed", usd: 10 });
      expect(await reserve(await started(), null)).toMatchObject({ kind: "reserved" });
    });

    it("includes other projects in a limit over all of them", async () => {
      await reserve(await started("api"), 9, [{ ...NIGHT, project: "api" }]);
      expect(await reserve(await started(), 5)).toEqual({ kind: "allowed", usd: 5 });
      const both = await reserve(await started(), 5, [NIGHT, ALL]);
      expect(both).toMatchObject({ kind: "reserved", by: { limit: ALL, use: { reservedUsd: 14, running: 2 } } });
    });

    it("reserves once per run: a new lease keeps the reservation", async () => {
      const run = await started();
      await reserve(run, 6);
      const taken = await current.store.tasks.takeRun(run.run.id, 1700);
      if (taken === null) throw new Error("expected an open run");
      const again = { ...run, lease: { run: taken.id, token: taken.token } };
      expect(taken.reservedUsd).toBe(6);
      expect(await reserve(again, 8)).toEqual({ kind: "allowed", usd: 6 });
      expect(await use(NIGHT)).toMatchObject([{ reservedUsd: 6, running: 1 }]);
      await expect(reserve(run, 6)).rejects.toBeInstanceOf(LeaseLostError);
    });

    it("rejects a run that has ended", async () => {
      const run = await started();
      await end(run);
      await expect(reserve(run, 1)).rejects.toBeInstanceOf(LeaseLostError);
    });

    it("keeps reservations across a restart", async (context) => {
      if (current.reopen === null) return context.skip();
      await reserve(await started(), 6);
      const store = await current.reopen();
      expect((await store.money.listUse([NIGHT]))[0]?.use).toMatchObject({ reservedUsd: 6, running: 1 });
    });
  });

  describe("listUse", () => {
    it("counts runs that ended in the period, by project, with the number of unknown and without free ones", async () => {
      await end(await started(), { finishedAt: 999, costUsd: 1 });
      await end(await started(), { finishedAt: 1000, costUsd: 0.1 });
      await end(await started(), { finishedAt: 2999, costUsd: 0.2 });
      await end(await started(), { finishedAt: 2000, costUsd: null, costBasis: "unknown" });
      await end(await started(), { finishedAt: 2000, costUsd: 0, costBasis: "computed" });
      await end(await started("api"), { finishedAt: 2000, costUsd: 2 });
      await end(await started(), { finishedAt: 3000, costUsd: 1 });
      expect(await current.store.money.listUse([NIGHT, ALL])).toEqual([
        { limit: NIGHT, use: { spentUsd: 0.3, runs: 2, unknownRuns: 1, reservedUsd: 0, running: 0 } },
        { limit: ALL, use: { spentUsd: 2.3, runs: 3, unknownRuns: 1, reservedUsd: 0, running: 0 } },
      ]);
      expect(await current.store.money.listUse([])).toEqual([]);
    });
  });
}
