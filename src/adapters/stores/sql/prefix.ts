import type { IdPrefix } from "../../../core/task/ids.ts";

/** The range [from, to) of ids that start with what was given. Every character of an id sorts before `~`. */
export function startsWith(kind: IdPrefix, given: string): readonly [from: string, to: string] {
  const from = given.startsWith(`${kind}_`) ? given : `${kind}_${given}`;
  return [from, `${from}~`];
}
