import { runAttempt } from "./run/attempt.ts";
import { createPeriodicTask } from "./periodic-task.ts";
import { createDelivery } from "./deliver/deliver.ts";
import { createReadBackTrigger } from "./reconcile/read-back-trigger.ts";
import type { EnginePorts } from "./ports.ts";
import { createReadBack } from "./reconcile/read-back.ts";
import { reconcile, sweepWorkspaces } from "./reconcile/reconcile.ts";
import { startDue } from "./schedule/schedules.ts";
import { wakeParked } from "./reconcile/wake-parked.ts";

export interface Dispatch {
  /** Does what is due now; the timer does nothing else. */
  tick(): Promise<void>;
  /** Reads the project's change requests back out of turn, soon. */
  lookAgain(project: string): void;
  /** Lets go of every run, which goes on under its supervisor, and resolves when nothing of the engine is under way. */
  stop(): Promise<void>;
}

const TICK_MS = 1_000;
const SWEEP_MS = 60_000;
const SCHEDULES_MS = 5_000;
const WAKE_MS = 5_000;
const READ_BACK_MS = 120_000;
const HOLD_MS = 5_000;

export async function startDispatch(ports: EnginePorts): Promise<Dispatch> {
  await ports.workspaces
    .sweep()
    .catch((error: unknown) =>
      ports.log.warn("what an earlier daemon left could not be removed", { error: String(error) }),
    );
  const heldUntil = new Map<string, number>();
  await ports.courier.work((run, signal) => carryOut(run, signal));
  let ticking: Promise<void> | null = null;
  const kept = new Set<string>();
  const readBack = createReadBack(ports);
  const lookAgain = createReadBackTrigger(ports, readBack);
  const chores = [
    createPeriodicTask(ports, { name: "a sweep", everyMs: SWEEP_MS }, () => sweepWorkspaces(ports, kept)),
    createPeriodicTask(ports, { name: "starting what is due", everyMs: SCHEDULES_MS }, () => startDue(ports)),
    createPeriodicTask(ports, { name: "waking what has money again", everyMs: WAKE_MS }, () => wakeParked(ports)),
    createPeriodicTask(ports, { name: "reading back change requests", everyMs: READ_BACK_MS }, () => readBack()),
    lookAgain,
  ];
  const delivery = createDelivery(ports);
  const tick = (): Promise<void> => {
    ticking ??= work().finally(() => {
      ticking = null;
    });
    return ticking;
  };
  const stopTicking = ports.clock.every(TICK_MS, () => void tick());
  // Notices leave as soon as they are written, not at the next tick.
  const unsubscribe = ports.store.events.onEvents((events) => {
    if (events.some(({ type }) => type === "task.ended" || type === "task.waiting")) void tick();
  });
  await tick();
  return {
    tick,
    lookAgain: lookAgain.ask,
    stop: async () => {
      stopTicking();
      unsubscribe();
      await ticking;
      await Promise.all(chores.map((chore) => chore.stop()));
      await delivery.stop();
      await ports.courier.stop();
    },
  };

  /** A run that cannot be carried out now (the settings are broken, the store is away) is not tried every second. */
  async function carryOut(run: string, signal: AbortSignal): Promise<void> {
    try {
      await runAttempt(ports, run, signal);
      heldUntil.delete(run);
    } catch (error) {
      heldUntil.set(run, ports.clock.monotonic() + HOLD_MS);
      throw error;
    }
  }

  function isHeld(run: string): boolean {
    return (heldUntil.get(run) ?? 0) > ports.clock.monotonic();
  }

  async function work(): Promise<void> {
    try {
      await reconcile(ports, isHeld);
      await delivery.start();
      for (const chore of chores) chore.begin();
    } catch (error) {
      ports.log.error("a tick failed; the next one tries again", {
        error: error instanceof Error ? error.stack : String(error),
      });
    }
  }
}
