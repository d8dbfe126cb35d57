import { addDays, createCalendar } from "../../../../../src/core/schedule/calendar.ts";
import type { CostsJson } from "../../../../../src/http/client/client.ts";
import { sumUsd } from "../../../../../src/core/money/cost-dimensions.ts";

/** By what the costs of a day can be divided. */
export const DIVISIONS = ["project", "pipeline", "role", "agent", "model"] as const;
export type Division = (typeof DIVISIONS)[number];

export interface StackedCosts {
  /** The most expensive first. At most four, the last of which may stand for all others. */
  readonly series: readonly Series[];
  /** Every day of the period, also those without costs. */
  readonly days: readonly DayCosts[];
}

export interface Series {
  readonly name: string;
  readonly usd: number;
}

export interface DayCosts {
  readonly day: string;
  /** One amount for each series. */
  readonly parts: readonly number[];
  readonly usd: number;
  /** Runs whose cost is not in the amounts. */
  readonly unknown: number;
}

const MAX_SERIES = 4;
const OTHERS = "others";
const UNNAMED = "unknown";

type Costs = Pick<CostsJson, "rows" | "since" | "until" | "time_zone">;

export function stackCosts({ rows, since, until, time_zone: timeZone }: Costs, by: Division): StackedCosts {
  const known = rows.map((row) => ({ ...row, name: row[by] ?? UNNAMED, usd: row.cost_usd ?? 0 }));
  const sums = [...Map.groupBy(known, ({ name }) => name)]
    .map(([name, own]): Series => ({ name, usd: sumUsd(own.map(({ usd }) => usd)) }))
    .toSorted((a, b) => b.usd - a.usd || (a.name < b.name ? -1 : 1));
  const own = sums.slice(0, sums.length > MAX_SERIES ? MAX_SERIES - 1 : MAX_SERIES);
  const rest = sums.slice(own.length);
  const series = rest.length === 0 ? own : [...own, { name: OTHERS, usd: sumUsd(rest.map(({ usd }) => usd)) }];
  const seriesOf = (name: string): number => {
    const index = own.findIndex((each) => each.name === name);
    return index === -1 ? own.length : index;
  };
  const byDay = Map.groupBy(known, ({ day }) => day ?? "");
  return {
    series,
    days: listDays(Date.parse(since), Date.parse(until), timeZone).map((day): DayCosts => {
      const spent = byDay.get(day) ?? [];
      const parts = series.map((_, index) =>
        sumUsd(spent.filter(({ name }) => seriesOf(name) === index).map(({ usd }) => usd)),
      );
      return { day, parts, usd: sumUsd(parts), unknown: spent.reduce((sum, each) => sum + each.unknown_cost, 0) };
    }),
  };
}

/** `until` is exclusive. */
function listDays(since: number, until: number, timeZone: string): readonly string[] {
  const { dayOf } = createCalendar(timeZone);
  const last = dayOf(until - 1);
  const days: string[] = [];
  for (let day = dayOf(since); day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}

const MAX_LINES = 4;
const STEPS = [1, 2, 5, 10];

/** Amounts for the lines of a chart: round ones, from 0 to at least `highest`. */
export function chooseScale(highest: number): readonly number[] {
  if (highest <= 0) return [0, 1];
  const rough = highest / (MAX_LINES - 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((each) => each * power >= rough - power / 1e6) ?? 10) * power;
  const count = Math.ceil(highest / step - 1e-6);
  // Powers of ten below 1 are not exact.
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(6)));
}
