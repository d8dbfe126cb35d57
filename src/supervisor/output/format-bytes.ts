const UNITS = [
  ["GB", 1024 ** 3],
  ["MB", 1024 ** 2],
  ["kB", 1024],
] as const;

/** Formats as `6.0 GB`, rounded down. */
export function formatBytes(bytes: number): string {
  return format(bytes, Math.floor);
}

/** Rounds up, so that an exceeded limit is never printed as the limit itself. */
export function formatBytesRoundedUp(bytes: number): string {
  return format(bytes, Math.ceil);
}

function format(bytes: number, round: (tenths: number) => number): string {
  const [unit, size] = UNITS.find(([, least]) => bytes >= least) ?? ["bytes", 1];
  return size === 1 ? `${bytes} bytes` : `${(round((bytes / size) * 10) / 10).toFixed(1)} ${unit}`;
}
