import type { SelectQueryBuilder } from "kysely";
import type { Db, Schema } from "./schema.ts";

/**
 * Combines one limited query per status, so that an index gives each part in order. A single query with a list of statuses
 * would read and sort all their rows. The caller orders and limits the result.
 */
export function unionByStatus<Table extends keyof Schema, Status, Row>(
  db: Db,
  statuses: readonly Status[],
  select: (status: Status) => SelectQueryBuilder<Schema, Table, Row>,
) {
  const [first, ...others] = [...new Set(statuses)].map((status) =>
    db.selectFrom(select(status).as("part")).selectAll(),
  );
  if (first === undefined) throw new Error("a union needs at least one status");
  return others.reduce((union, part) => union.unionAll(part), first);
}
