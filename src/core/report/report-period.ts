import { nightOf } from "../money/budget.ts";
import { createCalendar } from "../schedule/calendar.ts";
import type { BudgetWindow } from "../money/budget.ts";

/** Until this time of the afternoon, "the night" is the last one; after it, the one that begins. */
const EVENING_AFTER_NOON_MS = 6 * 3_600_000;

/** A night lasts from noon to noon, like the night's budget, so that the sums agree. In the afternoon the day so far is included. */
export function currentNight(now: number, timeZone: string): BudgetWindow {
  const { since } = nightOf(now - EVENING_AFTER_NOON_MS, timeZone);
  return { since, until: now + 1 };
}

/** The night that began on this day. It ends now if it is not over. */
export function nightFrom(day: string, now: number, timeZone: string): BudgetWindow {
  const { since, until } = nightOf(createCalendar(timeZone).noonOf(day), timeZone);
  return { since, until: Math.max(since, Math.min(until, now + 1)) };
}

/** The same length of time before this period. */
export function periodBefore({ since, until }: BudgetWindow, timeZone: string): BudgetWindow {
  const night = nightOf(since, timeZone);
  if (night.since === since && until <= night.until + EVENING_AFTER_NOON_MS) return nightOf(since - 1, timeZone);
  return { since: since - (until - since), until: since };
}
