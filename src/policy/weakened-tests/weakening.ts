/** One way in which a test was weakened. */
export interface Weakening {
  readonly path: string;
  readonly line: number | null;
  readonly what: string;
  readonly advice: string;
  /** Usually has a good reason, so it is shown and never rejected. */
  readonly mild?: boolean;
}

/** Counts equal items. */
export function countOf<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Returns the items of `all` that exceed `counts`. Decrements the counts. */
export function withoutCounted<T>(all: readonly T[], counts: Map<string, number>, keyOf: (item: T) => string): T[] {
  return all.filter((item) => {
    const key = keyOf(item);
    const left = counts.get(key) ?? 0;
    if (left === 0) return true;
    counts.set(key, left - 1);
    return false;
  });
}
