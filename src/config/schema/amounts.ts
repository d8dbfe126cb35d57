import { parseDuration } from "../../core/schedule/duration.ts";

/** The project's amount, but never more than the user's; null where neither file names one. */
export function within(ceiling: number | null | undefined, asked: number | null | undefined): number | null {
  if (ceiling === null || ceiling === undefined) return asked ?? null;
  return asked === null || asked === undefined ? ceiling : Math.min(ceiling, asked);
}

export function toMs(duration: string | undefined): number | null {
  return duration === undefined ? null : requireMs(duration);
}

export function requireMs(duration: string): number {
  const ms = parseDuration(duration);
  if (ms === null) throw new TypeError(`The schema let the duration ${duration} pass.`);
  return ms;
}
