import type { IdPrefix } from "../../../core/task/ids.ts";

/** Returns the range [from, to) of ids with the given prefix. Every character of an id sorts before `~`. */
export function startsWith(kind: IdPrefix, given: string): readonly [from: string, to: string] {
  const from = given.startsWith(`${kind}_`) ? given : `${kind}_${given}`;
  return [from, `${from}~`];
}
