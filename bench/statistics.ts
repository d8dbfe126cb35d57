/** The quantile: `share` of all values do not exceed it. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (found === undefined) throw new Error("there are no measurements");
  return found;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Measures all of them in turn, round after round, so that other load affects all equally. The first round warms caches and is
 * discarded.
 */
export async function interleave<K extends string>(
  rounds: number,
  measures: Readonly<Record<K, () => Promise<number>>>,
): Promise<Record<K, number[]>> {
  const names = Object.keys(measures) as K[];
  const values = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, number[]>;
  for (let round = 0; round <= rounds; round += 1)
    for (const name of names) {
      const value = await measures[name]();
      if (round > 0) values[name].push(value);
    }
  return values;
}

/** Runs `work` for each index, `lanes` at a time. */
export async function inLanes(lanes: number, count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
