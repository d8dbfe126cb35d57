import { runAttempt } from "./attempt.ts";
import { createDelivery } from "./deliver.ts";
import type { EnginePorts } from "./ports.ts";
import { reconcile, sweepWorkspaces } from "./reconcile.ts";

export interface Dispatch {
  /** Does what is due now; the timer does nothing else. */
  tick(): Promise<void>;
  /** Lets go of every run, which goes on under its supervisor, and resolves when nothing of the engine is under way. */
  stop(): Promise<void>;
}

const TICK_MS = 1_000;
const SWEEP_MS = 60_000;
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
  let sweeping: Promise<void> | null = null;
  let lastSweep = Number.NEGATIVE_INFINITY;
  const kept = new Set<string>();
  const delivery = createDelivery(ports);
  const tick = (): Promise<void> => {
    ticking ??= work().finally(() => {
      ticking = null;
    });
    return ticking;
  };
  const timer = setInterval(() => void tick(), TICK_MS);
  // Notices leave as soon as they are written, not at the next tick.
  const unsubscribe = ports.store.onEvents((events) => {
    if (events.some(({ type }) => type === "task.ended" || type === "task.waiting")) void tick();
  });
  await tick();
  return {
    tick,
    stop: async () => {
      clearInterval(timer);
      unsubscribe();
      await ticking;
      await sweeping;
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

  /** Beside the ticks: removing large trees takes its time, and nobody should have to wait for it. */
  function sweepNowAndThen(): void {
    if (sweeping !== null || ports.clock.monotonic() - lastSweep < SWEEP_MS) return;
    lastSweep = ports.clock.monotonic();
    sweeping = sweepWorkspaces(ports, kept)
      .catch((error: unknown) => ports.log.error("a sweep failed; the next one tries again", { error: String(error) }))
      .finally(() => {
        sweeping = null;
      });
  }

  async function work(): Promise<void> {
    try {
      await reconcile(ports, isHeld);
      await delivery.start();
      sweepNowAndThen();
    } catch (error) {
      ports.log.error("a tick failed; the next one tries again", {
        error: error instanceof Error ? error.stack : String(error),
      });
    }
  }
}
