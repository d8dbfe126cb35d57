const MINUTE_MS = 60_000;
export const MAX_PARK_MS = 30 * MINUTE_MS;
const FIRST_BACKOFF_MS = 2_000;
const MAX_BACKOFF_MS = 60_000;

/** A parked step or agent is retried after 1, 2, 4 … 30 minutes. `times` counts from 1. */
export function parkDelayMs(times: number): number {
  return Math.min(MINUTE_MS * 2 ** (times - 1), MAX_PARK_MS);
}

/** A step that failed with an agent or machine error is retried after 2, 4, 8 … 60 seconds. `times` counts from 1. */
export function backoffDelayMs(times: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** (times - 1), MAX_BACKOFF_MS);
}
