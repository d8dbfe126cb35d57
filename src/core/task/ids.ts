/** Crockford's base 32 in lower case (no i, l, o, u). Ids are `task_`, `run_` or `rule_` plus characters of this alphabet. */
export const ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

export type IdPrefix = "task" | "run" | "rule";

const ID_LENGTH = 10;

/** Characters after the kind that a shortened id has at least. New ids then rarely have the same beginning. */
const MIN_SHORT_LENGTH = 6;

/** The shortest prefix, including the kind, that distinguishes an id from its neighbours in the order of all ids. */
export function shortenId(id: string, neighbours: readonly (string | null)[]): string {
  const lengths = neighbours.map((other) => (other === null ? 0 : sharedLength(id, other) + 1));
  return id.slice(0, Math.max(id.indexOf("_") + 1 + MIN_SHORT_LENGTH, ...lengths));
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** Five bits of each byte choose a character, so `bytes` must hold at least ten random bytes. */
export function makeId(prefix: IdPrefix, bytes: Uint8Array): string {
  if (bytes.length < ID_LENGTH) throw new RangeError(`an id needs ${ID_LENGTH} random bytes, got ${bytes.length}`);
  let characters = "";
  for (const byte of bytes.subarray(0, ID_LENGTH)) characters += ID_ALPHABET[byte & 31];
  return `${prefix}_${characters}`;
}
