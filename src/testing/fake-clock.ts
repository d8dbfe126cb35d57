import { makeId } from "../core/task/ids.ts";
import type { Clock } from "../ports/clock.ts";

/** Time stands still until the test advances it. */
export interface FakeClock extends Clock {
  /** Fires the timers that become due, in order. What a timer starts gets to run before the next one fires. */
  advance(ms: number): Promise<void>;
  /** The number of timers that have neither fired nor been cancelled. */
  pending(): number;
}

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

export function createFakeClock(start: number = Date.UTC(2026, 10, 16)): FakeClock {
  const timers = new Set<Timer>();
  let elapsed = 0;
  let made = 0;

  /** Returns a function that cancels the timer. */
  function schedule(ms: number, fire: () => void): () => void {
    const timer = { at: elapsed + ms, fire };
    timers.add(timer);
    return () => void timers.delete(timer);
  }

  function nextDue(until: number): Timer | undefined {
    // Sorting keeps the order of timers that are due at the same moment.
    return [...timers].filter(({ at }) => at <= until).toSorted((one, other) => one.at - other.at)[0];
  }

  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    newId: (prefix) => makeId(prefix, Uint8Array.from(String((made += 1)).padStart(10, "0"), Number)),
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const abort = (): void => {
          cancel();
          reject(signal?.reason as Error); // what `throwIfAborted` would throw
        };
        const cancel = schedule(ms, () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        });
        signal?.addEventListener("abort", abort, { once: true });
      });
    },
    every(ms, action) {
      const fire = (): void => {
        cancel = schedule(ms, fire);
        action();
      };
      let cancel = schedule(ms, fire);
      return () => cancel();
    },
    timeoutSignal(ms) {
      const controller = new AbortController();
      schedule(ms, () => controller.abort(new DOMException("The operation timed out.", "TimeoutError")));
      return controller.signal;
    },
    pending: () => timers.size,
    async advance(ms) {
      const end = elapsed + ms;
      await settle();
      for (let timer = nextDue(end); timer !== undefined; timer = nextDue(end)) {
        elapsed = timer.at;
        timers.delete(timer);
        timer.fire();
        await settle();
      }
      elapsed = end;
    },
  };
}

/** Runs every promise callback that is ready, and those that they make ready. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
