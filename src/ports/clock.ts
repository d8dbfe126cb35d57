import type { IdPrefix } from "../core/task/ids.ts";

/** Time and randomness, which core may not read from the machine. */
export interface Clock {
  /** Milliseconds since 1970. Jumps when the machine's time is set, so never measure durations with it. */
  now(): number;
  /** Milliseconds that never go backwards, from an arbitrary start. */
  monotonic(): number;
  newId(prefix: IdPrefix): string;
}
