import { sql } from "kysely";
import { createCalendar } from "../../../core/schedule/calendar.ts";
import { fromNanoUsd, type CostDimension } from "../../../core/money/cost-dimensions.ts";
import type { CostQuery, CostRow, Spent, SpentQuery } from "../../../ports/store-money.ts";
import type { Db } from "./schema.ts";

/** Every zone's midnight is at a quarter of an hour, so a quarter belongs to one day, whichever the zone. */
const QUARTER_MS = 900_000;

export async function costs(db: Db, query: CostQuery): Promise<readonly CostRow[]> {
  const byDay = query.by.includes("day");
  const columns = query.by.filter((dimension) => dimension !== "day");
  // The divisor is written out: a bound number may arrive as a float, and then the division is none of whole numbers.
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
      // Without dimensions there is one group even of nothing.
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
      // Nobody said anything: not even how many tokens there were.
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

/** Whole numbers all through: the sum of sums is the sum. */
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

/** Sorted here, since databases do not agree on where null belongs and on the order of letters. */
function compareAll(a: readonly (string | null)[], b: readonly (string | null)[]): number {
  for (const [place, value] of a.entries()) {
    const other = b[place] ?? null;
    if (value !== other) return value === null || (other !== null && value > other) ? 1 : -1;
  }
  return 0;
}
