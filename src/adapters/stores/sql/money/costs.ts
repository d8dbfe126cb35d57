import { addDays, createCalendar, type Calendar } from "../../../../core/schedule/calendar.ts";
import { fromNanoUsd, type CostDimension } from "../../../../core/money/cost-dimensions.ts";
import type { CostQuery, CostRow, Spent, SpentQuery } from "../../../../ports/store-money.ts";
import { addAll, countRuns, sumCosts, type GroupSum } from "./cost-totals.ts";
import type { Db } from "../schema.ts";

export async function costs(db: Db, query: CostQuery): Promise<readonly CostRow[]> {
  if (query.by.length === 0) return [{ key: {}, ...(await spent(db, query)) }];
  const isByDay = query.by.includes("day");
  const isByNight = query.by.includes("night");
  const calendar = createCalendar(query.timeZone);
  const sums = await (isByDay || isByNight ? sumByDay(db, query, calendar) : sumCosts(db, query));
  const rows = Map.groupBy(sums, ({ group, since }) => {
    const day = isByDay ? calendar.dayOf(since) : null;
    const values = { ...group, day, night: isByNight ? calendar.nightOf(since) : null };
    return JSON.stringify(query.by.map((dimension) => values[dimension]));
  });
  return [...rows]
    .map(([key, parts]) => ({ values: JSON.parse(key) as (string | null)[], parts }))
    .toSorted((a, b) => compareAll(a.values, b.values))
    .map(({ values, parts }) => ({ key: toKey(query.by, values), ...toSpent(parts) }));
}

/** Years without costs are skipped: a run may have a time of 1970, because the clock was wrong. */
async function sumByDay(db: Db, query: CostQuery, calendar: Calendar): Promise<readonly GroupSum[]> {
  const stretches = await sumCosts(db, query, splitIntoStretches);
  const days: GroupSum[] = [];
  for (const since of new Set(stretches.map((stretch) => stretch.since))) {
    const until = Math.min(query.until, since + STRETCH_MS);
    days.push(
      ...(await sumCosts(db, { ...query, since, until }, (...period) => splitInto(query.by, calendar, period))),
    );
  }
  return days;
}

const STRETCH_MS = 100 * 86_400_000;

function splitIntoStretches(since: number, until: number): readonly number[] {
  const count = Math.ceil((until - since) / STRETCH_MS);
  return Array.from({ length: count - 1 }, (_, index) => since + (index + 1) * STRETCH_MS);
}

/** The starts of days, if costs are listed by day, and of nights, if they are listed by night. */
function splitInto(
  by: CostQuery["by"],
  { dayOf, startOf, noonOf }: Calendar,
  [since, until]: readonly [since: number, until: number],
): readonly number[] {
  const starts: number[] = [];
  for (let day = dayOf(since); ; day = addDays(day, 1)) {
    const start = startOf(day);
    if (start >= until) return starts.filter((each) => each > since && each < until);
    if (by.includes("day")) starts.push(start);
    if (by.includes("night")) starts.push(noonOf(day));
  }
}

export async function spent(db: Db, query: SpentQuery): Promise<Spent> {
  return toSpent(await sumCosts(db, query));
}

function toSpent(parts: readonly GroupSum[]): Spent {
  const total = addAll(parts);
  return {
    runs: countRuns(total),
    knownUsd: fromNanoUsd(total.total_nano_usd),
    unknownRuns: total.total_unknown,
    tokens: {
      input: total.total_input,
      output: total.total_output,
      cacheRead: total.total_cache_read,
      cacheWrite: total.total_cache_write,
    },
    unknownTokens: total.total_unknown_tokens,
    basis: {
      reported: total.total_reported,
      metered: total.total_metered,
      computed: total.total_computed,
      unknown: total.total_unknown,
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
