/** Crockford's base 32 in lower case (no i, l, o, u). Ids are `task_`, `run_` or `rule_` plus characters of this alphabet. */
export const ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

export type IdPrefix = "task" | "run" | "rule";

const ID_LENGTH = 10;

/** Five bits of each byte choose a character, so `bytes` must hold at least ten random bytes. */
export function makeId(prefix: IdPrefix, bytes: Uint8Array): string {
  if (bytes.length < ID_LENGTH) throw new RangeError(`an id needs ${ID_LENGTH} random bytes, got ${bytes.length}`);
  let characters = "";
  for (const byte of bytes.subarray(0, ID_LENGTH)) characters += ID_ALPHABET[byte & 31];
  return `${prefix}_${characters}`;
}
