import type { IdPrefix } from "../core/task/ids.ts";

/** Time, timers and randomness, which core and engine may not get from the machine. */
export interface Clock {
  /** Milliseconds since 1970. Jumps when the machine's time is set, so never measure durations with it. */
  now(): number;
  /** Milliseconds that never go backwards, from an arbitrary start. */
  monotonic(): number;
  newId(prefix: IdPrefix): string;
  /** Resolves after `ms`. Rejects with the signal's reason if it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `action` every `ms`, for the first time after `ms`. Returns a function that stops it. */
  every(ms: number, action: () => void): () => void;
  /** A signal that aborts with a TimeoutError after `ms`. It does not keep the process alive. */
  timeoutSignal(ms: number): AbortSignal;
}
