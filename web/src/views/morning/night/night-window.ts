const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A night starts at noon; its line shows 20:00 to 08:00. */
const EVENING_MS = 8 * HOUR;
const NIGHT_MS = 12 * HOUR;
const LONG_MS = 15 * HOUR;
const SHORT_MS = 3 * HOUR;
/** Work as short as a demo. */
const BRIEF_MS = 5 * MINUTE;

/** The time that the night line shows. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
  readonly ticks: Ticks;
}

export interface Ticks {
  readonly every: number;
  /** Every n-th tick has a label. */
  readonly labelled: number;
}

interface Worked {
  readonly start: number;
  readonly end: number;
}

/**
 * The usual hours of a night, and more if work was done outside of them. If all of the work was done by day or in a few minutes,
 * only the time of that work, so that its parts can be told apart.
 */
export function chooseWindow(since: number, worked: readonly Worked[]): TimeWindow {
  const evening = since + EVENING_MS;
  const morning = evening + NIGHT_MS;
  if (worked.length === 0) return withTicks(evening, morning);
  const start = Math.max(since, Math.min(...worked.map((each) => each.start)));
  const end = Math.max(...worked.map((each) => each.end));
  if (end - start < BRIEF_MS) return withTicks(floorTo(MINUTE, start, since), ceilTo(MINUTE, end, since));
  const first = floorTo(HOUR, start, since);
  const last = ceilTo(HOUR, end, since);
  const isByNight = worked.some((each) => each.start < morning && each.end > evening);
  return isByNight
    ? withTicks(Math.min(evening, first), Math.max(morning, last))
    : withTicks(first, Math.max(last, first + HOUR));
}

function floorTo(unit: number, at: number, since: number): number {
  return since + Math.floor((at - since) / unit) * unit;
}

function ceilTo(unit: number, at: number, since: number): number {
  return since + Math.ceil((at - since) / unit) * unit;
}

function withTicks(from: number, to: number): TimeWindow {
  return { from, to, ticks: chooseTicks(to - from) };
}

function chooseTicks(length: number): Ticks {
  if (length <= BRIEF_MS + MINUTE) return { every: MINUTE, labelled: 1 };
  if (length <= HOUR) return { every: 10 * MINUTE, labelled: 1 };
  if (length <= SHORT_MS) return { every: 30 * MINUTE, labelled: 1 };
  if (length <= LONG_MS) return { every: HOUR, labelled: length > SHORT_MS * 2 ? 2 : 1 };
  return { every: HOUR, labelled: 4 };
}
