import { shortenId } from "../../../core/task/ids.ts";
import type { Db } from "./schema.ts";

/** The range of ids with this prefix, which may omit the kind. Every character of an id sorts before `~`. */
export function idRange(kind: "task" | "run" | "prop", prefix: string): { readonly from: string; readonly to: string } {
  const from = prefix.startsWith(`${kind}_`) ? prefix : `${kind}_${prefix}`;
  return { from, to: `${from}~` };
}

/** Returns up to ten ids with this prefix. */
export async function findIds(db: Db, kind: "task" | "run", prefix: string): Promise<readonly string[]> {
  const { from, to } = idRange(kind, prefix);
  const rows = await db
    .selectFrom(`${kind}s` as const)
    .select("id")
    .where("id", ">=", from)
    .where("id", "<", to)
    .orderBy("id")
    .limit(10)
    .execute();
  return rows.map((row) => row.id);
}

/** Only the ids before and after an id can share a longer prefix with it than all others. */
export async function shortenIds(
  db: Db,
  kind: "task" | "run",
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  // Both tables have this column, and the query needs no other.
  const table = `${kind}s` as "tasks";
  const rows = await db
    .selectFrom(`${table} as each`)
    .select([
      "each.id",
      (eb) =>
        eb
          .selectFrom(`${table} as other`)
          .select((other) => other.fn.max("other.id").as("id"))
          .whereRef("other.id", "<", "each.id")
          .as("before"),
      (eb) =>
        eb
          .selectFrom(`${table} as other`)
          .select((other) => other.fn.min("other.id").as("id"))
          .whereRef("other.id", ">", "each.id")
          .as("after"),
    ])
    .where("each.id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, before, after }) => [id, shortenId(id, [before, after])]));
}
