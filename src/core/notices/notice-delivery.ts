const FIRST_MS = 2_000;
const LONGEST_MS = 3_600_000;

export const MAX_TRIES = 8;

/** Why a notice did not arrive. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  /** How long the channel asks to be left alone; null where it did not say. */
  readonly retryAfterMs: number | null;

  constructor(message: string, retryAfterMs: number | null = null) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * A notice is tried again after 2, 8 and 32 seconds, then 2, 9 and 34 minutes, then an hour: a server that is down for part
 * of the night costs no message. `tries` counts from 1.
 */
export function deliveryDelayMs(tries: number, retryAfterMs: number | null): number {
  const delay = Math.min(FIRST_MS * 4 ** (tries - 1), LONGEST_MS);
  return Math.min(Math.max(delay, retryAfterMs ?? 0), 24 * LONGEST_MS);
}
