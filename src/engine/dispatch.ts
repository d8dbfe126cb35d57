import { runAttempt } from "./attempt.ts";
import { deliver } from "./deliver.ts";
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

export async function startDispatch(ports: EnginePorts): Promise<Dispatch> {
  await ports.courier.work((run, signal) => runAttempt(ports, run, signal));
  let ticking: Promise<void> | null = null;
  let lastSweep = Number.NEGATIVE_INFINITY;
  const seen = new Set<string>();
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
      await ports.courier.stop();
    },
  };

  async function work(): Promise<void> {
    try {
      await reconcile(ports);
      await deliver(ports);
      if (ports.clock.monotonic() - lastSweep < SWEEP_MS) return;
      lastSweep = ports.clock.monotonic();
      await sweepWorkspaces(ports, seen);
    } catch (error) {
      ports.log.error("a tick failed; the next one tries again", { error: error instanceof Error ? error.stack : String(error) });
    }
  }
}
