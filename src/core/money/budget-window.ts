import { addDays, createCalendar } from "../schedule/calendar.ts";

/** A time that money is counted in: from its first moment up to, but without, the first of the next. */
export interface BudgetWindow {
  readonly since: number;
  readonly until: number;
}

/** A night is from noon to noon: what was begun in the evening belongs together with what ends in the morning. */
export function nightOf(at: number, timeZone: string): BudgetWindow {
  const { dayOf, noonOf } = createCalendar(timeZone);
  const today = dayOf(at);
  const noon = noonOf(today);
  return at < noon
    ? { since: noonOf(addDays(today, -1)), until: noon }
    : { since: noon, until: noonOf(addDays(today, 1)) };
}

export function monthOf(at: number, timeZone: string): BudgetWindow {
  const { dayOf, startOf } = createCalendar(timeZone);
  const first = firstOfMonth(dayOf(at));
  // No month has more than 31 days, and none has less than 28.
  return { since: startOf(first), until: startOf(firstOfMonth(addDays(first, 31))) };
}

function firstOfMonth(day: string): string {
  return `${day.slice(0, 7)}-01`;
}
