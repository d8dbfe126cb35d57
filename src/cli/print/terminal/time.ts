/** Formats times for people: relative to now, and in the time zone of this machine unless another one is given. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface TimeOptions {
  readonly now?: number;
  readonly timeZone?: string;
}

/** Examples: `3 min ago`, `today 02:14`, `yesterday 23:50`, `in 4 h (06:30)`, `Tue 17 Nov 02:00`. */
export function describeTime(iso: string, { now = Date.now(), timeZone }: TimeOptions = {}): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  const local = localTimeZone();
  const zone = timeZone ?? local;
  const day = describeDay(at, now, zone);
  const clock = `${formatTime(at, zone, { hour: "2-digit", minute: "2-digit" })}${zone === local ? "" : ` ${zone}`}`;
  if (at <= now) {
    const past = now - at;
    if (past < MINUTE) return "just now";
    return past < HOUR ? `${Math.floor(past / MINUTE)} min ago` : `${day} ${clock}`;
  }
  const ahead = at - now;
  if (ahead >= DAY) return `${day} ${clock}`;
  return `${describeDistance(ahead)} (${day === "today" ? "" : `${day} `}${clock})`;
}

/** Examples: `today`, `tomorrow`, `Tue 17 Nov`, `17 Nov 2027`. */
export function describeDay(at: number, now: number = Date.now(), timeZone: string = localTimeZone()): string {
  const days = (startOfDay(at, timeZone) - startOfDay(now, timeZone)) / DAY;
  if (Math.abs(days) <= 1) return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(days, "day");
  const isNear = Math.abs(days) < 180;
  return formatTime(at, timeZone, {
    day: "numeric",
    month: "short",
    ...(isNear ? { weekday: "short" } : { year: "numeric" }),
  });
}

/** The exact time in this machine's time zone, such as `2026-11-15 21:04:05`. */
export function exactTime(iso: string): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  // Swedish writes dates and times like ISO 8601.
  return formatTime(at, localTimeZone(), { dateStyle: "short", timeStyle: "medium" }, "sv-SE");
}

function describeDistance(ms: number): string {
  if (ms < MINUTE) return `in ${Math.ceil(ms / SECOND)} s`;
  return ms < HOUR ? `in ${Math.floor(ms / MINUTE)} min` : `in ${Math.floor(ms / HOUR)} h`;
}

/** The date as a number that is comparable within a time zone. */
function startOfDay(at: number, timeZone: string): number {
  return Date.parse(formatTime(at, timeZone, { dateStyle: "short" }, "sv-SE"));
}

function formatTime(
  at: number,
  timeZone: string,
  options: Intl.DateTimeFormatOptions,
  locale: string = "en-GB",
): string {
  const key = [locale, timeZone, ...Object.entries(options)].join();
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone });
  formats.set(key, format);
  return format.format(at);
}

/** Creating a format takes longer than using it, and a list has a thousand times. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The variable TZ, or the setting of the system. */
function localTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
