import type { Db } from "./schema.ts";

/** Returns up to ten ids with this prefix, which may omit the kind. Every character of an id sorts before `~`. */
export async function findIds(db: Db, kind: "task" | "run", prefix: string): Promise<readonly string[]> {
  const from = prefix.startsWith(`${kind}_`) ? prefix : `${kind}_${prefix}`;
  const rows = await db
    .selectFrom(`${kind}s` as const)
    .select("id")
    .where("id", ">=", from)
    .where("id", "<", `${from}~`)
    .orderBy("id")
    .limit(10)
    .execute();
  return rows.map((row) => row.id);
}
