const UNITS = [
  ["GB", 1024 ** 3],
  ["MB", 1024 ** 2],
  ["kB", 1024],
] as const;

/** `6.0 GB`, rounded down. */
export function formatBytes(bytes: number): string {
  return format(bytes, Math.floor);
}

/** Rounded up, so that what is more than a limit never reads as the limit itself. */
export function formatOver(bytes: number): string {
  return format(bytes, Math.ceil);
}

function format(bytes: number, round: (tenths: number) => number): string {
  const [unit, size] = UNITS.find(([, least]) => bytes >= least) ?? ["bytes", 1];
  return size === 1 ? `${bytes} bytes` : `${(round((bytes / size) * 10) / 10).toFixed(1)} ${unit}`;
}
