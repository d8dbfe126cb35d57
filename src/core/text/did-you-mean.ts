const MAX_WORD_LENGTH = 64;

/** Returns the candidate closest to `word`, or null if none is similar. */
export function closest(word: string, candidates: readonly string[]): string | null {
  // The cost grows with the product of both lengths, and very long words are not typos.
  if (word === "" || word.length > MAX_WORD_LENGTH) return null;
  const written = normalize(word);
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (candidate.length > MAX_WORD_LENGTH) continue;
    const distance = editDistance(written, normalize(candidate));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Returns ` Did you mean "x"?` to append to a sentence, or an empty string. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const candidate = closest(word, candidates);
  return candidate === null ? "" : ` Did you mean "${candidate}"?`;
}

/** Normalizes spelling: `Needs-Info` and `needs info` both mean `needs_info`. */
function normalize(word: string): string {
  return word.toLowerCase().replace(/[-\s]/g, "_");
}

/** Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbours. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (same ? 0 : 1),
          swapped ? at(beforeLast, column - 2) + 1 : Infinity,
        ),
      );
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
