import { addDays } from "../../../../src/core/schedule/calendar.ts";

const UTC = { timeZone: "UTC" } as const;

/** "Night of 16 to 17 November" for the night that began on this day. */
export function nameNight(night: string): string {
  const [begin, end] = [night, addDays(night, 1)].map((day) => new Date(day));
  if (begin === undefined || end === undefined) return night;
  const first = monthOf(begin) === monthOf(end) ? "" : ` ${monthOf(begin)}`;
  return `Night of ${begin.getUTCDate()}${first} to ${end.getUTCDate()} ${monthOf(end)}`;
}

function monthOf(date: Date): string {
  return date.toLocaleDateString("en-GB", { month: "long", ...UTC });
}

/** "Tuesday 17 November": the day on which the night ends. */
export function nameMorning(night: string): string {
  return new Date(addDays(night, 1))
    .toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long", ...UTC })
    .replace(",", "");
}

export function nightBefore(night: string): string {
  return addDays(night, -1);
}

/** Null if that night has not begun, so that the current report is next. */
export function nightAfter(night: string, newest: string | null): string | null {
  const next = addDays(night, 1);
  return newest === null || next > newest ? null : next;
}
