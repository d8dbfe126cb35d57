const DAY_MS = 86_400_000;
/** Kept, because creating one takes longer than anything else that a row of a transcript needs. */
const FULL = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "medium" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** 21:14 today, "Mon 21:14" this week, "2 Nov" otherwise. Times are in the browser's time zone unless one is given. */
export function formatTime(iso: string | number, now: number = Date.now(), timeZone?: string): string {
  const at = new Date(iso);
  const zone = timeZone === undefined ? {} : { timeZone };
  const clock = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", ...zone });
  const day = (date: Date | number): string => new Date(date).toLocaleDateString("en-GB", zone);
  if (day(at) === day(now)) return clock;
  if (Math.abs(now - at.getTime()) < 6 * DAY_MS)
    return `${at.toLocaleDateString("en-GB", { weekday: "short", ...zone })} ${clock}`;
  return formatDay(at.getTime(), timeZone);
}

/** "2 Nov", with the year if it is another one. */
export function formatDay(iso: string | number, timeZone?: string): string {
  const at = new Date(iso);
  const year = at.getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" as const };
  return at.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    ...year,
    ...(timeZone !== undefined && { timeZone }),
  });
}

/** "Tuesday 17 November 2026, 21:14:05", for tooltips. */
export function formatFullTime(iso: string | number): string {
  return FULL.format(new Date(iso));
}

/** "21:14:05". */
export function formatClock(iso: string): string {
  return CLOCK.format(new Date(iso));
}

/** "40 s", "4 min", "1 h 12 min", "3 d 2 h". */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return joinUnits(`${hours} h`, minutes % 60, "min");
  return joinUnits(`${Math.floor(hours / 24)} d`, hours % 24, "h");
}

function joinUnits(large: string, rest: number, unit: string): string {
  return rest === 0 ? large : `${large} ${rest} ${unit}`;
}

/** Always two decimals. A cost that is not known is "unknown", never 0. */
export function formatMoney(usd: number | null): string {
  return usd === null ? "unknown" : `$${usd.toFixed(2)}`;
}

/** "1,234". */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** "1 task", "3 tasks". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** How long ago, in one unit: "now", "12 min", "8 h", "3 d". */
export function formatAge(iso: string | number, now: number = Date.now()): string {
  const minutes = Math.max(0, now - new Date(iso).getTime()) / 60_000;
  if (minutes < 1) return "now";
  if (minutes < 60) return `${Math.floor(minutes)} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`;
  return `${Math.floor(minutes / (24 * 60))} d`;
}

/** Starts with a capital letter, unless the first word is a name such as "agent/fix-totals". */
export function capitalize(text: string): string {
  return /^[a-z]+(-[a-z]+)*(?=[,.:;]?(\s|$))/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
