import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { makeId } from "../../core/task/ids.ts";
import type { Clock } from "../../ports/clock.ts";

const ID_BYTES = 10;

/**
 * The machine's time, but never backwards within a process: if the clock is set back, time continues from the previous value,
 * so that nothing waits for a time that has already passed.
 */
export function createSystemClock(
  wall: () => number = Date.now,
  monotonic: () => number = () => performance.now(),
): Clock {
  let anchor = { wall: wall(), monotonic: monotonic() };
  return {
    monotonic,
    newId: (prefix) => makeId(prefix, randomBytes(ID_BYTES)),
    async sleep(ms, signal) {
      try {
        await sleep(ms, undefined, signal === undefined ? {} : { signal });
      } catch (error) {
        // Node wraps the reason in an AbortError of its own.
        signal?.throwIfAborted();
        throw error;
      }
    },
    every(ms, action) {
      const timer = setInterval(action, ms);
      return () => clearInterval(timer);
    },
    timeoutSignal: (ms) => AbortSignal.timeout(ms),
    now: () => {
      const elapsed = Math.round(anchor.wall + monotonic() - anchor.monotonic);
      const actual = wall();
      if (actual <= elapsed) return elapsed;
      anchor = { wall: actual, monotonic: monotonic() };
      return actual;
    },
  };
}
