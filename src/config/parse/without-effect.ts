import { valueAt } from "../trust/widening.ts";
import type { UserWritten } from "../schema/schema.ts";

/** Keys that files may have already and that nothing obeys yet. Whoever builds one takes its line away. `*`: any name. */
export const WITHOUT_EFFECT: readonly string[] = [
  "database",
  "mcp",
  "notify.slack",
  "workspace.keep_uncommitted",
  "workspace.ports",
];

/** Those that this file has, by their full names. */
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
