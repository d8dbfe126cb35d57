import { createDeferral } from "./run/deferral.ts";
import { describeError } from "./run/explain-error.ts";
import { createPeriodicTask } from "./periodic-task.ts";
import { withForgeChannels } from "./deliver/forge-channels.ts";
import { createDelivery } from "./deliver/deliver.ts";
import { answerOverdue } from "./reconcile/answer-overdue.ts";
import { autoMerge } from "./reconcile/auto-merge.ts";
import { moveWaitingTasks } from "./reconcile/parked-agents.ts";
import { createReadBackTrigger } from "./reconcile/read-back-trigger.ts";
import { sendReport } from "./report/send-report.ts";
import type { EnginePorts } from "./ports.ts";
import { createMergedBranchSweep } from "./reconcile/find-merged-branches.ts";
import { createOutages, type Outage } from "./reconcile/outages.ts";
import { createReadBack } from "./reconcile/read-back.ts";
import { reconcile, sweepWorkspaces } from "./reconcile/reconcile.ts";
import { startDependents } from "./reconcile/start-dependents.ts";
import { tendAllVariants } from "./reconcile/tend-variants.ts";
import { createRetentionSweep } from "./reconcile/retention.ts";
import { startDueSchedules } from "./schedule/schedules.ts";
import { createLoginWake, wakeAfterRestart, wakeParked } from "./reconcile/wake-parked.ts";

export interface Dispatch {
  /** Does everything that is due now. Also called by a timer. */
  tick(): Promise<void>;
  /** Why nothing can be done at the moment, for example because the store is not available. Null if all is well. */
  problem(): string | null;
  /** Projects whose forge or remote cannot be read at the moment. */
  outages(): readonly Outage[];
  /** Reads the project's change requests back soon, without waiting for the next interval. */
  pollForge(project: string): void;
  /** Detaches from every run and resolves when the engine is idle. The runs continue under their supervisors. */
  stop(): Promise<void>;
}

const TICK_MS = 1_000;
const SWEEP_MS = 60_000;
const SCHEDULES_MS = 5_000;
const WAKE_MS = 5_000;
const REPORT_MS = 30_000;
const RETENTION_MS = 3_600_000;
const READ_BACK_MS = 120_000;
const FOLLOW_MS = 10_000;
const MERGE_MS = 5_000;

export async function startDispatch(ports: EnginePorts): Promise<Dispatch> {
  await recoverFromRestart(ports);
  const deferral = createDeferral(ports);
  await ports.courier.work(deferral.execute);
  let ticking: Promise<void> | null = null;
  let problem: string | null = null;
  const kept = new Set<string>();
  const published = followPublished(ports);
  const tasks = [
    createPeriodicTask(ports, { name: "sweeping workspaces", everyMs: SWEEP_MS }, () => sweepWorkspaces(ports, kept)),
    createPeriodicTask(ports, { name: "sweeping sockets", everyMs: SWEEP_MS }, () => ports.supervisors.sweep()),
    createPeriodicTask(ports, { name: "starting due schedules", everyMs: SCHEDULES_MS }, () =>
      startDueSchedules(ports),
    ),
    createPeriodicTask(ports, { name: "answering overdue questions", everyMs: TICK_MS }, () => answerOverdue(ports)),
    createPeriodicTask(ports, { name: "starting tasks that wait for others", everyMs: TICK_MS }, () =>
      startDependents(ports),
    ),
    createPeriodicTask(ports, { name: "looking after variants", everyMs: TICK_MS }, () => tendAllVariants(ports)),
    createPeriodicTask(ports, { name: "waking tasks that wait for budget", everyMs: WAKE_MS }, () => wakeParked(ports)),
    createPeriodicTask(ports, { name: "waking tasks that wait for a login", everyMs: WAKE_MS }, createLoginWake(ports)),
    createPeriodicTask(ports, { name: "moving tasks of parked agents", everyMs: WAKE_MS }, () =>
      moveWaitingTasks(ports),
    ),
    createPeriodicTask(
      ports,
      { name: "removing old transcripts and logs", everyMs: RETENTION_MS },
      createRetentionSweep(ports),
    ),
    createPeriodicTask(ports, { name: "sending the report of the night", everyMs: REPORT_MS }, () => sendReport(ports)),
    createPeriodicTask(ports, { name: "merging", everyMs: MERGE_MS }, () => autoMerge(ports)),
    ...published.tasks,
  ];
  const delivery = createDelivery({ ...ports, channels: withForgeChannels(ports) });
  const tick = (): Promise<void> => {
    ticking ??= runTick().finally(() => {
      ticking = null;
    });
    return ticking;
  };
  const stopTicking = ports.clock.every(TICK_MS, () => void tick());
  // Sends notices as soon as they are written instead of at the next tick.
  const unsubscribe = ports.store.events.onEvents((events) => {
    if (events.some(({ type }) => type === "task.ended" || type === "task.waiting")) void tick();
  });
  await tick();
  return {
    tick,
    problem: () => problem,
    outages: published.outages,
    pollForge: published.poll,
    stop: async () => {
      stopTicking();
      unsubscribe();
      await ticking;
      await Promise.all(tasks.map((task) => task.stop()));
      await delivery.stop();
      await ports.courier.stop();
    },
  };

  async function runTick(): Promise<void> {
    try {
      await reconcile(ports, deferral.isDeferred);
      await delivery.start();
      for (const task of tasks) task.startIfDue();
      problem = null;
    } catch (error) {
      problem = `No task starts or ends at the moment: ${describeError(error)}`;
      ports.log.error("a tick failed; the next one tries again", {
        error: error instanceof Error ? error.stack : String(error),
      });
    }
  }
}

/** Notices what people do with published changes: at the forge, or with git where there is none. */
function followPublished(ports: EnginePorts) {
  const outages = createOutages(ports);
  const readBack = createReadBack(ports, outages);
  const trigger = createReadBackTrigger(ports, (triggered) => readBack({ triggered }));
  const tasks = [
    createPeriodicTask(ports, { name: "reading back change requests", everyMs: READ_BACK_MS }, () => readBack()),
    createPeriodicTask(ports, { name: "following change requests of waiting tasks", everyMs: FOLLOW_MS }, () =>
      readBack({ onlyTasks: true }),
    ),
    createPeriodicTask(
      ports,
      { name: "looking for branches that were merged by hand", everyMs: FOLLOW_MS },
      createMergedBranchSweep(ports, outages),
    ),
    trigger,
  ];
  return { tasks, poll: trigger.request, outages: outages.list };
}

/** Neither part may keep the daemon from starting. */
async function recoverFromRestart(ports: EnginePorts): Promise<void> {
  await ports.workspaces
    .sweep()
    .catch((error: unknown) =>
      ports.log.warn("leftover files of an earlier daemon could not be removed", { error: String(error) }),
    );
  await wakeAfterRestart(ports).catch((error: unknown) =>
    ports.log.warn("parked tasks could not be woken; they continue later", { error: String(error) }),
  );
}
