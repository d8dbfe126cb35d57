import { sql } from "kysely";
import { createCalendar } from "../../../core/schedule/calendar.ts";
import { fromNanoUsd, type CostDimension } from "../../../core/money/cost-dimensions.ts";
import type { CostQuery, CostRow, Spent, SpentQuery } from "../../../ports/store-money.ts";
import type { Db } from "./schema.ts";

/** In every time zone, midnight falls on a quarter of an hour. So each quarter belongs to exactly one day. */
const QUARTER_MS = 900_000;

export async function costs(db: Db, query: CostQuery): Promise<readonly CostRow[]> {
  const byDay = query.by.includes("day");
  const columns = query.by.filter((dimension) => dimension !== "day");
  // The divisor is a literal, because a bound parameter may be a float, and then this is not an integer division.
  const quarter = byDay ? sql<number>`(at / ${sql.lit(QUARTER_MS)})` : sql<number>`0`;
  let select = sums(db, query).select(columns).select(quarter.as("quarter"));
  for (const column of columns) select = select.groupBy(column);
  if (byDay) select = select.groupBy(quarter);

  const { dayOf } = createCalendar(query.timeZone);
  const groups = Map.groupBy(await select.execute(), (row) => {
    const values = { ...row, day: byDay ? dayOf(row.quarter * QUARTER_MS) : "" };
    return JSON.stringify(query.by.map((dimension) => values[dimension] ?? null));
  });
  return (
    [...groups]
      .map(([key, rows]) => ({ values: JSON.parse(key) as (string | null)[], rows }))
      .toSorted((a, b) => compareAll(a.values, b.values))
      .map(({ values, rows }) => ({ key: toKey(query.by, values), ...toSpent(rows) }))
      // Without dimensions there is one group even if there are no rows.
      .filter(({ runs }) => runs > 0 || query.by.length === 0)
  );
}

export async function spent(db: Db, query: SpentQuery): Promise<Spent> {
  return toSpent(await sums(db, query).execute());
}

interface SumRow {
  readonly runs: number;
  readonly nano_usd: number | null;
  readonly reported: number | null;
  readonly metered: number | null;
  readonly computed: number | null;
  readonly unknown: number | null;
  readonly unknown_tokens: number | null;
  readonly input: number | null;
  readonly output: number | null;
  readonly cache_read: number | null;
  readonly cache_write: number | null;
}

function sums(db: Db, { since, until, project }: SpentQuery) {
  const select = db
    .selectFrom("costs")
    .select(({ fn }) => [
      fn.countAll<number>().as("runs"),
      fn.sum<number | null>("nano_usd").as("nano_usd"),
      counting("reported").as("reported"),
      counting("metered").as("metered"),
      counting("computed").as("computed"),
      counting("unknown").as("unknown"),
      // Neither the cost nor the token counts are known.
      sql<number | null>`sum(case when basis = 'unknown'
        and tokens_input + tokens_output + tokens_cache_read + tokens_cache_write = 0 then 1 else 0 end)`.as(
        "unknown_tokens",
      ),
      fn.sum<number | null>("tokens_input").as("input"),
      fn.sum<number | null>("tokens_output").as("output"),
      fn.sum<number | null>("tokens_cache_read").as("cache_read"),
      fn.sum<number | null>("tokens_cache_write").as("cache_write"),
    ])
    .where("at", ">=", since)
    .where("at", "<", until);
  return project === null ? select : select.where("project", "=", project);
}

function counting(basis: keyof Spent["basis"]) {
  return sql<number | null>`sum(case when basis = ${sql.lit(basis)} then 1 else 0 end)`;
}

/** All values are integers, so adding partial sums is exact. */
function toSpent(rows: readonly SumRow[]): Spent {
  const total = (column: keyof SumRow): number => rows.reduce((sum, row) => sum + (row[column] ?? 0), 0);
  return {
    runs: total("runs"),
    knownUsd: fromNanoUsd(total("nano_usd")),
    unknownRuns: total("unknown"),
    tokens: {
      input: total("input"),
      output: total("output"),
      cacheRead: total("cache_read"),
      cacheWrite: total("cache_write"),
    },
    unknownTokens: total("unknown_tokens"),
    basis: {
      reported: total("reported"),
      metered: total("metered"),
      computed: total("computed"),
      unknown: total("unknown"),
    },
  };
}

function toKey(by: readonly CostDimension[], values: readonly (string | null)[]): CostRow["key"] {
  return Object.fromEntries(by.map((dimension, place) => [dimension, values[place] ?? null]));
}

/** Sorts in memory, because databases order nulls and letters differently. */
function compareAll(a: readonly (string | null)[], b: readonly (string | null)[]): number {
  for (const [place, value] of a.entries()) {
    const other = b[place] ?? null;
    if (value !== other) return value === null || (other !== null && value > other) ? 1 : -1;
  }
  return 0;
}
