import { addDays, createCalendar } from "../schedule/calendar.ts";

/** A period for a budget. `until` is exclusive. */
export interface BudgetWindow {
  readonly since: number;
  readonly until: number;
}

/** A night lasts from noon to noon, so that work started in the evening counts together with work that ends in the morning. */
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
  // A month has between 28 and 31 days.
  return { since: startOf(first), until: startOf(firstOfMonth(addDays(first, 31))) };
}

function firstOfMonth(day: string): string {
  return `${day.slice(0, 7)}-01`;
}
