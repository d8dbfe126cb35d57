import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { makeId } from "../../core/task/ids.ts";
import type { Clock } from "../../ports/clock.ts";

const ID_BYTES = 10;

/** A larger step back corrects a clock that was wrong, for example after a jump into the future. */
const MAX_AHEAD_MS = 60_000;

/**
 * The machine's time. If the clock is set back a little, time continues from the previous value, so that nothing waits for a
 * time that has already passed. A larger step back is followed and reported to `onSetBack`.
 */
export function createSystemClock(
  wall: () => number = Date.now,
  monotonic: () => number = () => performance.now(),
  onSetBack: (ms: number) => void = () => undefined,
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
      if (actual <= elapsed && elapsed - actual <= MAX_AHEAD_MS) return elapsed;
      anchor = { wall: actual, monotonic: monotonic() };
      if (actual < elapsed) onSetBack(elapsed - actual);
      return actual;
    },
  };
}
