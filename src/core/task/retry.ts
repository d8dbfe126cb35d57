const MINUTE_MS = 60_000;
const LONGEST_PARK_MS = 30 * MINUTE_MS;
const FIRST_BACKOFF_MS = 2_000;
const LONGEST_BACKOFF_MS = 60_000;

/** A parked step is probed after 1, 2, 4 … 30 minutes. `times` counts from 1. */
export function parkDelayMs(times: number): number {
  return Math.min(MINUTE_MS * 2 ** (times - 1), LONGEST_PARK_MS);
}

/** An error of the agent or the machine is tried again after 2, 4, 8 … 60 seconds. `times` counts from 1. */
export function backoffDelayMs(times: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** (times - 1), LONGEST_BACKOFF_MS);
}
