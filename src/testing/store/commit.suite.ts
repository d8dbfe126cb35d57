import { describe, expect, it } from "vitest";
import { LeaseLostError, StaleTaskError } from "../../core/text/errors.ts";
import { NO_TOKENS } from "../../core/task/run.ts";
import type { CommitParams } from "../../ports/store.ts";
import type { Current } from "./current.ts";
import {
  SHUT,
  committing,
  creating,
  sampleArtifact,
  sampleCheck,
  sampleEnd,
  sampleEvent,
  sampleNotice,
  sampleRun,
  sampleTask,
  startTask,
} from "./samples.ts";

export function testCommit(current: Current): void {
  describe("commit", () => {
    it("writes one complete step", async () => {
      const { task, run, lease } = await startTask(current.store);
      const next = sampleRun(task, { step: "checks", role: null, agent: null, createdAt: 2000 });
      const end = sampleEnd(run.id);
      const document = {
        kind: "plan",
        version: 2,
        hash: "h2",
        run: run.id,
        at: 7,
        content: { plan: "Do it." },
      } as const;
      const result = await current.store.tasks.commit(
        committing(
          { ...task, state: "checks", version: 99 },
          {
            expectedVersion: 1,
            lease,
            endRun: end,
            newRun: next,
            events: [sampleEvent({ summary: "one" }), sampleEvent({ summary: "two" })],
            checks: [sampleCheck(run.id)],
            artifacts: [sampleArtifact()],
            document,
            notices: [sampleNotice()],
          },
        ),
      );
      const stored = { ...task, state: "checks", version: 2 };
      expect(result).toMatchObject({ task: stored, admitted: [next.id], ended: [] });
      expect(result.events.map(({ summary }) => summary)).toEqual(["one", "two"]);
      expect(await current.store.tasks.getTask(task.id)).toEqual(stored);
      expect(await current.store.tasks.getRun(run.id)).toEqual({ ...run, ...end });
      expect(await current.store.tasks.getRun(next.id)).toMatchObject({
        status: "starting",
        costUsd: null,
        tokens: NO_TOKENS,
      });
      expect(await current.store.tasks.listChecks(task.id)).toEqual([sampleCheck(run.id)]);
      expect(await current.store.tasks.listArtifacts(task.id)).toEqual([sampleArtifact()]);
      expect(await current.store.tasks.getDocument(task.id, "plan", null)).toEqual(document);
      expect(await current.store.tasks.getDocument(task.id, "plan", 2)).toEqual(document);
      expect(await current.store.tasks.getDocument(task.id, "plan", 1)).toBeNull();
      expect(await current.store.tasks.getDocument(task.id, "design", null)).toBeNull();
      expect(await current.store.events.listEvents({ after: 0, task: null, limit: 9 })).toEqual(result.events);
      expect(await current.store.outbox.dueNotices(1000, 9)).toMatchObject([sampleNotice()]);
    });

    it("stores the end of a run without an exit", async () => {
      const { task, run, lease } = await startTask(current.store);
      const end = sampleEnd(run.id, {
        exit: { code: null, signal: null },
        payload: null,
        costUsd: null,
        costBasis: "unknown",
        error: "lost",
      });
      await current.store.tasks.commit(committing(task, { lease, endRun: end }));
      expect(await current.store.tasks.getRun(run.id)).toMatchObject(end);
    });

    it("rejects an older lease and writes nothing", async () => {
      const { task, run, lease } = await startTask(current.store);
      await current.store.tasks.takeRun(run.id, 1600);
      await expectNothingWritten(current, LeaseLostError, everything(task.id, run.id, committing(task, { lease })));
    });

    it("rejects the lease of an ended run", async () => {
      const { task, run, lease } = await startTask(current.store);
      await current.store.tasks.commit(committing(task, { lease, endRun: sampleEnd(run.id) }));
      await expectNothingWritten(
        current,
        LeaseLostError,
        committing({ ...task, version: 2 }, { lease, events: [sampleEvent()] }),
      );
    });

    it("ends a run only once, also without a lease", async () => {
      const { task, run, lease } = await startTask(current.store);
      await current.store.tasks.commit(committing(task, { lease, endRun: sampleEnd(run.id) }));
      const again = committing(
        { ...task, version: 2 },
        { endRun: sampleEnd(run.id, { status: "failed" }), events: [sampleEvent()] },
      );
      await expectNothingWritten(current, LeaseLostError, again);
      expect(await current.store.tasks.getRun(run.id)).toMatchObject({ status: "succeeded" });
    });

    it("rejects a change for an older version and writes nothing", async () => {
      const { task, run, lease } = await startTask(current.store);
      await current.store.tasks.commit(committing(task));
      await expectNothingWritten(current, StaleTaskError, everything(task.id, run.id, committing(task, { lease })));
      await expectNothingWritten(
        current,
        StaleTaskError,
        committing({ ...task, id: "task_none" }, { events: [sampleEvent()] }),
      );
    });

    it("reports a lost lease before a stale task", async () => {
      const { task, run, lease } = await startTask(current.store);
      await current.store.tasks.commit(committing(task));
      await current.store.tasks.takeRun(run.id, 1600);
      await expect(current.store.tasks.commit(committing(task, { lease }))).rejects.toThrow(LeaseLostError);
    });

    it("ends all other open runs of the task, and none of another task", async () => {
      const { task, run, lease } = await startTask(current.store);
      const other = await startTask(current.store);
      const queued = sampleRun(task, { createdAt: 1100 });
      await current.store.tasks.commit(committing(task, { newRun: queued, admission: SHUT }));
      const result = await current.store.tasks.commit(
        committing(
          { ...task, version: 2 },
          { lease, endRun: sampleEnd(run.id), endOthers: { status: "cancelled", at: 3000 } },
        ),
      );
      expect(result.ended).toEqual([queued.id]);
      expect(await current.store.tasks.getRun(queued.id)).toMatchObject({ status: "cancelled", finishedAt: 3000 });
      expect(await current.store.tasks.getRun(run.id)).toMatchObject({ status: "succeeded", finishedAt: 2000 });
      expect((await current.store.tasks.listOpenRuns()).map(({ id }) => id)).toEqual([other.run.id]);
    });

    it("keeps the run that replaces the ended ones", async () => {
      const { task, run } = await startTask(current.store);
      const newRun = sampleRun(task);
      const result = await current.store.tasks.commit(
        committing(task, { endOthers: { status: "interrupted", at: 3000 }, newRun }),
      );
      expect(result).toMatchObject({ ended: [run.id], admitted: [newRun.id] });
    });

    it("replaces a check of the same run, and an artifact of the same type and label, which is the newest then", async () => {
      const { task, run } = await startTask(current.store);
      const checks = [sampleCheck(run.id, { name: "lint" }), sampleCheck(run.id)];
      const artifacts = [sampleArtifact(), sampleArtifact({ type: "diff" })];
      await current.store.tasks.commit(committing(task, { checks, artifacts }));
      const passed = sampleCheck(run.id, { name: "lint", status: "passed", exitCode: 0 });
      const moved = sampleArtifact({ url: "https://forge.example/1", data: { name: "y" } });
      await current.store.tasks.commit(committing({ ...task, version: 2 }, { checks: [passed], artifacts: [moved] }));
      expect(await current.store.tasks.listChecks(task.id)).toEqual([passed, checks[1]]);
      expect(await current.store.tasks.listArtifacts(task.id)).toEqual([artifacts[1], moved]);
      const removedArtifacts = [{ type: moved.type, label: moved.label }];
      await current.store.tasks.commit(committing({ ...task, version: 3 }, { removedArtifacts }));
      expect(await current.store.tasks.listArtifacts(task.id)).toEqual([artifacts[1]]);
    });

    it("accepts exactly one of many concurrent commits for the same version", async () => {
      const { task } = await startTask(current.store);
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) =>
          current.store.tasks.commit(committing(task, { events: [sampleEvent({ summary: `${i}` })] })),
        ),
      );
      const refused = results.filter((result) => result.status === "rejected");
      expect(refused).toHaveLength(19);
      for (const { reason } of refused) expect(reason).toBeInstanceOf(StaleTaskError);
      expect(await current.store.events.lastEventId()).toBe(1);
    });

    it("stays consistent while many tasks advance concurrently", async () => {
      const limits = { ...SHUT, total: 3, perProject: 2 };
      const tasks = Array.from({ length: 12 }, (_, i) => sampleTask({ project: i % 2 === 0 ? "a" : "b" }));
      let peak = 0;
      const work = async (runId: string): Promise<void> => {
        const run = await current.store.tasks.takeRun(runId, 1500);
        if (run === null) throw new Error(`${runId} was admitted but cannot be taken`);
        peak = Math.max(peak, (await current.store.tasks.listOpenRuns()).length);
        const task = await current.store.tasks.getTask(run.task);
        if (task === null) throw new Error("the task does not exist");
        const { admitted } = await current.store.tasks.commit(
          committing(task, {
            lease: { run: runId, token: run.token },
            endRun: sampleEnd(runId),
            newRun: task.version < 4 ? sampleRun(task, { createdAt: 1000 + task.version }) : null,
            events: [sampleEvent({ task: task.id, data: { version: task.version } })],
            admission: limits,
          }),
        );
        await Promise.all(admitted.map(work));
      };
      const created = await Promise.all(
        tasks.map((task) =>
          current.store.tasks.createTask(creating(task, { run: sampleRun(task), admission: limits })),
        ),
      );
      await Promise.all(created.flatMap(({ admitted }) => admitted).map(work));
      expect(peak).toBe(3);
      for (const { id } of tasks) {
        expect((await current.store.tasks.getTask(id))?.version).toBe(5);
        const events = await current.store.events.listEvents({ after: 0, task: id, limit: 99 });
        expect(events.map(({ data }) => data["version"])).toEqual([1, 2, 3, 4]);
      }
      expect(await current.store.checkIntegrity()).toEqual([]);
    });
  });
}

/** Adds one of everything that a commit can write. */
function everything(task: string, run: string, params: CommitParams): CommitParams {
  return {
    ...params,
    endRun: sampleEnd(run),
    endOthers: { status: "cancelled", at: 9 },
    newRun: sampleRun({ id: task, project: "shop" }),
    events: [sampleEvent()],
    checks: [sampleCheck(run)],
    artifacts: [sampleArtifact()],
    notices: [sampleNotice()],
  };
}

async function expectNothingWritten(
  current: Current,
  error: typeof LeaseLostError | typeof StaleTaskError,
  params: CommitParams,
): Promise<void> {
  const look = async () => ({
    task: await current.store.tasks.getTask(params.task.id),
    runs: await current.store.tasks.listRuns({ task: null, status: null, project: null, limit: 99 }),
    checks: await current.store.tasks.listChecks(params.task.id),
    artifacts: await current.store.tasks.listArtifacts(params.task.id),
    notices: await current.store.outbox.dueNotices(Number.MAX_SAFE_INTEGER, 99),
    event: await current.store.events.lastEventId(),
  });
  const before = await look();
  await expect(current.store.tasks.commit(params)).rejects.toThrow(error);
  expect(await look()).toEqual(before);
}
