/** Positions of the lines of a text, computed once. Lines start at 0. */
export interface LineIndex {
  readonly lineCount: number;
  lineAt(place: number): number;
  /** Returns the end of the text for a line after the last. */
  startOf(line: number): number;
}

export function indexLines(text: string): LineIndex {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return {
    lineCount: starts.length,
    lineAt: (place) => countUpTo(starts, place, (start) => start) - 1,
    startOf: (line) => starts[line] ?? text.length,
  };
}

/** Counts the items of a sorted list whose place is not above `limit`. */
export function countUpTo<T>(sorted: readonly T[], limit: number, placeOf: (item: T) => number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const half = (low + high) >> 1;
    const item = sorted[half];
    if (item !== undefined && placeOf(item) <= limit) low = half + 1;
    else high = half;
  }
  return low;
}
