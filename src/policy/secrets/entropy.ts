/** Shannon entropy in bits per character: words have about three, random text four or more. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  const total = Array.from(text).length;
  return [...counts.values()].reduce((bits, count) => bits - (count / total) * Math.log2(count / total), 0);
}
