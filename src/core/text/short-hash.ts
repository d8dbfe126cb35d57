/** Characters of a commit or plan hash that people see and may use instead of the whole hash. */
export const SHORT_HASH_LENGTH = 12;

export function shortHash(hash: string): string {
  return hash.slice(0, SHORT_HASH_LENGTH);
}
