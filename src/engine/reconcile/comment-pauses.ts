/**
 * People write several comments in a row. Work starts when they have paused, so that ten comments cause one round and not ten.
 * Kept in memory: after a restart the pause begins again.
 */
export interface CommentPauses {
  /** Whether these new comments have been the newest ones for `quietMs`. */
  isOver(url: string, comments: readonly string[], quietMs: number, now: number): boolean;
  /** Whether the change request should be read now, because the pause should be over. */
  isDue(url: string, now: number): boolean;
}

/** A discussion that never pauses must not delay the work forever. */
const MAX_PAUSES = 10;

interface Pause {
  readonly comments: string;
  readonly firstAt: number;
  readonly until: number;
}

export function createCommentPauses(): CommentPauses {
  const pauses = new Map<string, Pause>();
  return {
    isOver(url, ids, quietMs, now) {
      const comments = ids.join(" ");
      const pause = pauses.get(url);
      if (pause !== undefined && pause.until <= now && (pause.comments === comments || isLate(pause, quietMs, now)))
        return pauses.delete(url);
      if (pause?.comments === comments) return false;
      const firstAt = pause?.firstAt ?? now;
      pauses.set(url, { comments, firstAt, until: Math.min(now + quietMs, firstAt + MAX_PAUSES * quietMs) });
      return false;
    },
    isDue: (url, now) => (pauses.get(url)?.until ?? Infinity) <= now,
  };
}

function isLate({ firstAt }: Pause, quietMs: number, now: number): boolean {
  return now - firstAt >= MAX_PAUSES * quietMs;
}
