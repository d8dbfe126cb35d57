import { parseDuration } from "../../core/schedule/duration.ts";

/** Caps the project's amount at the user's. Null if neither file sets one. */
export function capAmount(ceiling: number | null | undefined, amount: number | null | undefined): number | null {
  if (ceiling === null || ceiling === undefined) return amount ?? null;
  return amount === null || amount === undefined ? ceiling : Math.min(ceiling, amount);
}

export function toMs(duration: string | undefined): number | null {
  return duration === undefined ? null : requireMs(duration);
}

export function requireMs(duration: string): number {
  const ms = parseDuration(duration);
  if (ms === null) throw new TypeError(`The schema accepted the invalid duration ${duration}.`);
  return ms;
}
