import type { IdPrefix } from "../core/task/ids.ts";

/** What core may not ask the machine for: the time and chance. */
export interface Clock {
  /** Milliseconds since 1970. May jump when somebody sets the machine's time: never measure a duration with it. */
  now(): number;
  /** Milliseconds that only go forward, from an arbitrary zero. */
  monotonic(): number;
  newId(prefix: IdPrefix): string;
}
