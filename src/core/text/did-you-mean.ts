const LONGEST_WORD = 64;

/** The candidate that `word` was most likely meant to be; null where none is near. */
export function closest(word: string, candidates: readonly string[]): string | null {
  // The distance costs the product of both lengths, and nobody misspells a word of a thousand letters.
  if (word === "" || word.length > LONGEST_WORD) return null;
  const written = plain(word);
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (candidate.length > LONGEST_WORD) continue;
    const distance = editDistance(written, plain(candidate));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** ` Did you mean "x"?` to put behind a sentence, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const candidate = closest(word, candidates);
  return candidate === null ? "" : ` Did you mean "${candidate}"?`;
}

/** `Needs-Info` and `needs info` are `needs_info` to whoever wrote them. */
function plain(word: string): string {
  return word.toLowerCase().replace(/[-\s]/g, "_");
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
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
