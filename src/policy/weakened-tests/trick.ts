/** One way in which a test was made to say less. */
export interface Trick {
  readonly path: string;
  readonly line: number | null;
  readonly what: string;
  readonly advice: string;
  /** Something that has an honest reason more often than not: shown, never refused. */
  readonly mild?: boolean;
}

/** Counts of equal things: what is on one side and not on the other. */
export function countOf<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** The items of `all` without as many of each key as `counts` has, which is used up. */
export function withoutCounted<T>(all: readonly T[], counts: Map<string, number>, keyOf: (item: T) => string): T[] {
  return all.filter((item) => {
    const key = keyOf(item);
    const left = counts.get(key) ?? 0;
    if (left === 0) return true;
    counts.set(key, left - 1);
    return false;
  });
}
