export interface Random {
  /** An integer from `from` to `to`, inclusive. */
  between(from: number, to: number): number;
  pick<T>(list: readonly T[]): T;
}

/** The same seed gives the same choices (mulberry32), so that a failed round can be repeated. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    between,
    pick(list) {
      const chosen = list[between(0, list.length - 1)];
      if (chosen === undefined) throw new RangeError("there is nothing to pick from");
      return chosen;
    },
  };
}
