/** Formats durations, amounts and counts for people. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  // Round first, so that 59.99 s becomes a minute and not "60.0 s".
  const tenths = Math.round(ms / 100) / 10;
  if (tenths < 60) return `${tenths.toFixed(1)} s`;
  const seconds = Math.round(ms / SECOND);
  if (seconds < HOUR / SECOND) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(ms / MINUTE);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Neither an unknown amount nor a fraction of a cent is shown as zero. */
export function money(usd: number | null, unknown = 0): string {
  if (usd === null) return "unknown";
  const sum = usd > 0 && usd < 0.01 ? `$${usd.toPrecision(1)}` : `$${usd.toFixed(2)}`;
  return unknown > 0 ? `${sum} and ${unknown} unknown` : sum;
}

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const exponent = Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** exponent).toFixed(1)} ${["", "kB", "MB", "GB"][exponent]}`;
}
