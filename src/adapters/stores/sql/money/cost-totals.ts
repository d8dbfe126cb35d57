import { type Selectable, sql } from "kysely";
import type { SpentQuery } from "../../../../ports/store-money.ts";
import type { CostTotals, Db, Schema } from "../schema.ts";

export const NO_COSTS: CostTotals = {
  total_nano_usd: 0,
  total_paid: 0,
  total_reported: 0,
  total_metered: 0,
  total_computed: 0,
  total_unknown: 0,
  total_unknown_tokens: 0,
  total_input: 0,
  total_output: 0,
  total_cache_read: 0,
  total_cache_write: 0,
};
// The cast is safe: the constant has no other keys.
export const TOTAL_COLUMNS = Object.keys(NO_COSTS) as readonly (keyof CostTotals)[];

/** All values are integers, so the results are exact. */
export function addTotals(one: CostTotals, other: CostTotals, sign: 1 | -1 = 1): CostTotals {
  const sums = TOTAL_COLUMNS.map((column) => [column, one[column] + sign * other[column]]);
  // The cast is safe: these are all columns.
  return Object.fromEntries(sums) as CostTotals;
}

/** What the runs of one group cost in one part of a period. */
export interface GroupSum {
  readonly group: Selectable<Schema["cost_groups"]>;
  /** Start of the part. */
  readonly since: number;
  readonly sum: CostTotals;
}

/**
 * Sums up the costs of a period by group. `split` returns the times at which a new part begins, between the first and the
 * last cost of the period. Reads one row per group and part, regardless of the number of runs.
 */
export async function sumCosts(
  db: Db,
  query: SpentQuery,
  split: (since: number, until: number) => readonly number[] = () => [],
): Promise<readonly GroupSum[]> {
  const groups = await listGroups(db, query);
  if (groups.length === 0 || query.since >= query.until) return [];
  const since = Math.max(query.since, Math.min(...groups.map(({ first_at }) => first_at)));
  const until = Math.min(query.until, Math.max(...groups.map(({ last_at }) => last_at)) + 1);
  const times = [since, ...split(since, until), until];
  const totals = await readTotals(db, { groups: groups.map(({ id }) => id), times });
  return groups.flatMap((group) => {
    const before = times.map((time) => totals.get(`${group.id} ${time}`) ?? NO_COSTS);
    return before.slice(1).flatMap((total, part) => {
      const sum = addTotals(total, before[part] ?? NO_COSTS, -1);
      return countRuns(sum) === 0 ? [] : [{ group, since: times[part] ?? since, sum }];
    });
  });
}

export function addAll(parts: readonly GroupSum[]): CostTotals {
  return parts.reduce<CostTotals>((all, { sum }) => addTotals(all, sum), NO_COSTS);
}

export function countRuns(sum: CostTotals): number {
  return sum.total_reported + sum.total_metered + sum.total_computed + sum.total_unknown;
}

/** The groups with a cost in the period or around it. */
async function listGroups(db: Db, { since, until, project }: SpentQuery) {
  const select = db
    .selectFrom("cost_groups")
    .selectAll()
    .select(({ selectFrom }) => {
      const ofGroup = selectFrom("costs").whereRef("cost_group", "=", "cost_groups.id");
      return [
        ofGroup.select(({ fn }) => fn.min("at").as("at")).as("first_at"),
        ofGroup.select(({ fn }) => fn.max("at").as("at")).as("last_at"),
      ];
    });
  const groups = await (project === null ? select : select.where("project", "=", project)).execute();
  return groups.flatMap(({ first_at, last_at, ...group }) =>
    first_at === null || last_at === null || first_at >= until || last_at < since
      ? []
      : [{ ...group, first_at, last_at }],
  );
}

interface TotalsQuery {
  readonly groups: readonly number[];
  readonly times: readonly number[];
}

/**
 * The totals of each group before each of these times, by `group time`. There is none before the first run of a group. SQLite
 * keeps the order of cross joins. With plain joins it may read all costs of a group.
 */
async function readTotals(db: Db, { groups, times }: TotalsQuery): Promise<ReadonlyMap<string, CostTotals>> {
  const { rows } = await sql<CostTotals & { cost_group: number; time: number }>`
    with times (time) as (values ${sql.join(times.map((time) => sql`(cast(${time} as bigint))`))})
    select times.time, costs.cost_group, ${sql.join(TOTAL_COLUMNS.map((column) => sql.ref(`costs.${column}`)))}
    from cost_groups cross join times cross join costs
    where cost_groups.id in (${sql.join(groups)})
      and costs.cost_group = cost_groups.id
      and (costs.at, costs.run) = (
        select earlier.at, earlier.run from costs as earlier
        where earlier.cost_group = cost_groups.id and earlier.at < times.time
        order by earlier.at desc, earlier.run desc limit 1
      )
  `.execute(db);
  return new Map(rows.map((row) => [`${row.cost_group} ${row.time}`, row]));
}
