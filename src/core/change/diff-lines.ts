/** Removed and added lines of a change, as indexes from 0. Always a valid difference, and a minimal one if that is cheap. */
export interface LineDiff {
  readonly removed: readonly number[];
  readonly added: readonly number[];
}

/** Maximum steps of the exact search. Beyond it, lines that occur once on both sides are used as anchors. */
const MAX_EDITS = 300;

export function diffLines(before: readonly string[], after: readonly string[]): LineDiff {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start++;
  let end = 0;
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const [one, other] = numberLines(before.slice(start, before.length - end), after.slice(start, after.length - end));
  // Lines that do not occur on the other side cannot match. Removing them shortens the search.
  const left = keepShared(one, other);
  const right = keepShared(other, one);
  const pairs = matchExactly(left.values, right.values) ?? matchByRareLines(left.values, right.values);
  const keptLeft = new Set(pairs.map(([at]) => left.places[at]));
  const keptRight = new Set(pairs.map(([, at]) => right.places[at]));
  return { removed: placesOutside(one.length, keptLeft, start), added: placesOutside(other.length, keptRight, start) };
}

type Pair = readonly [number, number];

function numberLines(before: readonly string[], after: readonly string[]): [number[], number[]] {
  const numbers = new Map<string, number>();
  const numberOf = (line: string): number => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  };
  return [before.map(numberOf), after.map(numberOf)];
}

function keepShared(values: readonly number[], other: readonly number[]): { values: number[]; places: number[] } {
  const shared = new Uint8Array(values.length + other.length);
  for (const value of other) shared[value] = 1;
  const kept = { values: [] as number[], places: [] as number[] };
  for (const [place, value] of values.entries()) {
    if (shared[value] !== 1) continue;
    kept.values.push(value);
    kept.places.push(place);
  }
  return kept;
}

function placesOutside(length: number, kept: ReadonlySet<number | undefined>, offset: number): number[] {
  const places: number[] = [];
  for (let at = 0; at < length; at++) if (!kept.has(at)) places.push(at + offset);
  return places;
}

/** Myers' greedy search. Returns null if it takes more than MAX_EDITS steps. */
function matchExactly(one: readonly number[], other: readonly number[]): Pair[] | null {
  const most = Math.min(one.length + other.length, MAX_EDITS);
  const reach = new Int32Array(2 * most + 3);
  const middle = most + 1;
  const history: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    history.push(reach.slice(middle - edits - 1, middle + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down =
        diagonal === -edits ||
        (diagonal !== edits && valueAt(reach, middle + diagonal - 1) < valueAt(reach, middle + diagonal + 1));
      let x = down ? valueAt(reach, middle + diagonal + 1) : valueAt(reach, middle + diagonal - 1) + 1;
      let y = x - diagonal;
      while (x < one.length && y < other.length && one[x] === other[y]) {
        x++;
        y++;
      }
      reach[middle + diagonal] = x;
      if (x >= one.length && y >= other.length) return walkBack(history, one.length, other.length);
    }
  }
  return null;
}

function walkBack(history: readonly Int32Array[], width: number, height: number): Pair[] {
  const pairs: Pair[] = [];
  let [x, y] = [width, height];
  for (let edits = history.length - 1; edits >= 0; edits--) {
    const reach = history[edits] ?? new Int32Array();
    const middle = edits + 1;
    const diagonal = x - y;
    const down =
      diagonal === -edits ||
      (diagonal !== edits && valueAt(reach, middle + diagonal - 1) < valueAt(reach, middle + diagonal + 1));
    const from = down ? diagonal + 1 : diagonal - 1;
    const startX = edits === 0 ? 0 : valueAt(reach, middle + from);
    const startY = edits === 0 ? 0 : startX - from;
    while (x > startX && y > startY && x > 0 && y > 0) pairs.push([--x, --y]);
    [x, y] = [startX, startY];
  }
  return pairs;
}

function valueAt(values: Int32Array, place: number): number {
  return values[place] ?? 0;
}

/** Matches lines that occur once on both sides, in their longest common order, and then equal neighbours. */
function matchByRareLines(one: readonly number[], other: readonly number[]): Pair[] {
  const [left, right] = [placesOfSingles(one), placesOfSingles(other)];
  const common = [...left].flatMap(([value, place]): Pair[] => {
    const there = right.get(value);
    return there === undefined ? [] : [[place, there]];
  });
  return growPairs(longestIncreasing(common), one, other);
}

function placesOfSingles(values: readonly number[]): Map<number, number> {
  const places = new Map<number, number>();
  const repeated = new Set<number>();
  for (const [place, value] of values.entries()) {
    if (places.has(value)) repeated.add(value);
    else places.set(value, place);
  }
  for (const value of repeated) places.delete(value);
  return places;
}

/** The longest increasing subsequence on the right side. `pairs` is already sorted by the left side. */
function longestIncreasing(pairs: readonly Pair[]): Pair[] {
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [place, pair] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const half = (low + high) >> 1;
      if ((pairs[ends[half] ?? 0]?.[1] ?? 0) < pair[1]) low = half + 1;
      else high = half;
    }
    previous.push(low > 0 ? (ends[low - 1] ?? -1) : -1);
    ends[low] = place;
  }
  const rise: Pair[] = [];
  for (let place = ends.at(-1) ?? -1; place >= 0; place = previous[place] ?? -1) {
    const pair = pairs[place];
    if (pair) rise.push(pair);
  }
  return rise.toReversed();
}

function growPairs(anchors: readonly Pair[], one: readonly number[], other: readonly number[]): Pair[] {
  const grown: Pair[] = [];
  let [x, y] = [0, 0];
  for (const [toX, toY] of [...anchors, [one.length, other.length] as const]) {
    while (x < toX && y < toY && one[x] === other[y]) grown.push([x++, y++]);
    let [backX, backY] = [toX, toY];
    while (backX > x && backY > y && one[backX - 1] === other[backY - 1]) grown.push([--backX, --backY]);
    if (toX < one.length && toY < other.length) grown.push([toX, toY]);
    [x, y] = [toX + 1, toY + 1];
  }
  return grown;
}
