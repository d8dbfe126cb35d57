/** Days in one time zone, written as `YYYY-MM-DD`. */
export interface Calendar {
  dayOf(at: number): string;
  /** The first moment of the day. It is not always midnight: some zones skip that hour in spring. */
  startOf(day: string): number;
  /** The first moment at which clocks show 12:00 or later. */
  noonOf(day: string): number;
  /** The day on which the night began. A night lasts from noon to noon. */
  nightOf(at: number): string;
}

const DAY_MS = 86_400_000;
/** No time zone is further from UTC. */
const WIDEST_OFFSET_MS = 15 * 3_600_000;
const NOON = 12;

export function createCalendar(timeZone: string): Calendar {
  // Created once, because creating it costs more than using it a thousand times.
  const format = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  const dayOf = (at: number): string => format.format(at);

  function startOf(day: string): number {
    const midnight = Date.parse(`${day}T00:00:00Z`);
    return firstMoment(midnight - WIDEST_OFFSET_MS, midnight + WIDEST_OFFSET_MS, (at) => dayOf(at) >= day);
  }

  // Created once as well, but only if it is used.
  let hours: Intl.DateTimeFormat | null = null;
  function isAfternoon(at: number): boolean {
    hours ??= new Intl.DateTimeFormat("en-US", { timeZone, hour: "2-digit", hourCycle: "h23" });
    return Number(hours.format(at)) >= NOON;
  }

  function noonOf(day: string): number {
    return firstMoment(startOf(day), startOf(addDays(day, 1)), isAfternoon);
  }

  const nightOf = (at: number): string => (isAfternoon(at) ? dayOf(at) : addDays(dayOf(at), -1));

  return { dayOf, startOf, noonOf, nightOf };
}

/** Binary search, because Intl only converts a time to a clock reading. `from` is too early, `to` is not. */
function firstMoment(from: number, to: number, has: (at: number) => boolean): number {
  let [before, after] = [from, to];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (has(middle)) after = middle;
    else before = middle;
  }
  return after;
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
