const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
export const MAX_DURATION_MS = 7 * 86_400_000;

export const DURATION_FORM = "a duration such as 30s, 10m or 2h, at most 7d";

export const RETENTION_FORM = "a number of days from 1d to 9999d, such as 30d";

/** Parses `30d` to milliseconds. Null for anything else. */
export function parseRetention(text: string): number | null {
  return /^[1-9]\d{0,3}d$/.test(text) ? Number(text.slice(0, -1)) * 86_400_000 : null;
}

/** Parses `30s`, `10m`, `2h` to milliseconds. Null for anything else. More than a week is a mistake and overflows timers. */
export function parseDuration(text: string): number | null {
  const [, amount, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = Number(amount ?? 0) * (UNITS[unit ?? ""] ?? 0);
  return ms > 0 && ms <= MAX_DURATION_MS ? ms : null;
}
