/** Something that a person looks for by typing a part of its text. */
export interface Matchable {
  /** What is shown, and matched first. */
  readonly text: string;
  /** Other words that find it, such as an id. */
  readonly words?: readonly string[];
}

/**
 * The items that match, best first: those whose text starts with the query, then those with a word that starts with it, then
 * those that contain it. Equally good ones keep their order. An empty query matches everything.
 */
export function rankMatches<T extends Matchable>(query: string, items: readonly T[]): readonly T[] {
  const ranked = items.map((item) => ({ item, rank: rankMatch(query, item) })).filter(({ rank }) => rank < NO_MATCH);
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ item }) => item);
}

export const NO_MATCH = 4;

/** 0 for the best match, `NO_MATCH` for none. */
export function rankMatch(query: string, { text, words = [] }: Matchable): number {
  const wanted = normalize(query);
  if (wanted === "") return 0;
  const shown = normalize(text);
  if (shown.startsWith(wanted)) return 0;
  if (words.some((word) => normalize(word).startsWith(wanted))) return 1;
  if (hasWord(shown, wanted)) return 2;
  return [shown, ...words.map(normalize)].some((each) => each.includes(wanted)) ? 3 : NO_MATCH;
}

function hasWord(text: string, start: string): boolean {
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1))
    if (at > 0 && !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return true;
  return false;
}

/** Upper and lower case, accents and repeated spaces make no difference. */
function normalize(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll(/\s+/g, " ").trim();
}
