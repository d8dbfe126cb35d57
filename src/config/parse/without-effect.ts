import { valueAt } from "../trust/widening.ts";
import type { UserWritten } from "../schema/schema.ts";

/** Keys that are accepted but not implemented yet. Remove a key here when you implement it. `*` matches any name. */
export const WITHOUT_EFFECT: readonly string[] = ["database", "notify.slack"];

/** Lists the full names of the keys in this file that have no effect. */
export function listWithoutEffect(written: UserWritten): readonly string[] {
  return WITHOUT_EFFECT.flatMap((key) => {
    const [section = "", name, rest] = key.split(".");
    if (name !== "*") return valueAt(written, key.split(".")) === undefined ? [] : [key];
    const names = Object.keys(valueAt(written, [section]) ?? {});
    return names
      .filter((each) => valueAt(written, [section, each, rest ?? ""]) !== undefined)
      .map((each) => `${section}.${each}.${rest ?? ""}`);
  });
}
