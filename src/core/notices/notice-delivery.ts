const FIRST_MS = 2_000;
const MAX_MS = 3_600_000;

export const MAX_TRIES = 8;

/** A notice could not be delivered. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  /** The delay that the channel requested. Null if it requested none. */
  readonly retryAfterMs: number | null;

  constructor(message: string, retryAfterMs: number | null = null) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Retry delays are 2, 8 and 32 seconds, then 2, 9 and 34 minutes, then an hour, so that a server that is down for part of the
 * night loses no message. `tries` starts at 1.
 */
export function deliveryDelayMs(tries: number, retryAfterMs: number | null): number {
  const delay = Math.min(FIRST_MS * 4 ** (tries - 1), MAX_MS);
  return Math.min(Math.max(delay, retryAfterMs ?? 0), 24 * MAX_MS);
}
