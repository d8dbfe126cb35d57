import type { IdPrefix } from "../core/task/ids.ts";

/** What core and engine may not ask the machine for: the time, timers and chance. */
export interface Clock {
  /** Milliseconds since 1970. May jump when somebody sets the machine's time: never measure a duration with it. */
  now(): number;
  /** Milliseconds that only go forward, from an arbitrary zero. */
  monotonic(): number;
  newId(prefix: IdPrefix): string;
  /** Resolves after `ms`. Rejects with the signal's reason if it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `action` every `ms`, for the first time after `ms`. Returns a function that stops it. */
  every(ms: number, action: () => void): () => void;
  /** A signal that aborts with a TimeoutError after `ms`. It does not keep the process alive. */
  timeoutSignal(ms: number): AbortSignal;
}
