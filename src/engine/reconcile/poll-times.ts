const FIRST_MS = 30_000;
const LONGEST_MS = 30 * 60_000;

export interface PollTimes {
  /** Whether a change request should be read now, which is remembered. `since`: when the task began to wait. */
  takeIfDue(url: string, since: number, now: number): boolean;
}

/**
 * When to read the change requests of waiting tasks: every 30 seconds at first, later less often, at most every half hour. Kept
 * in memory, so that a restart reads all of them at once.
 */
export function createPollTimes(): PollTimes {
  const lastReads = new Map<string, number>();
  return {
    takeIfDue(url, since, now) {
      const last = lastReads.get(url);
      if (last !== undefined && now - last < pollInterval(now - since)) return false;
      lastReads.set(url, now);
      return true;
    },
  };
}

/** A tenth of the time that the task has been waiting. */
export function pollInterval(waitedMs: number): number {
  return Math.min(Math.max(waitedMs / 10, FIRST_MS), LONGEST_MS);
}
