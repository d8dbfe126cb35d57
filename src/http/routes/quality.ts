import { summarizeNights } from "../../core/quality/nights.ts";
import {
  measureQuality,
  QUALITY_DIMENSIONS,
  type Quality,
  type QualityDimension,
  type QualityKey,
} from "../../core/quality/quality.ts";
import { addDays, createCalendar } from "../../core/schedule/calendar.ts";
import type { CostRow } from "../../ports/store-money.ts";
import type { HttpDeps } from "../deps.ts";
import { viewFigures, viewMoney, viewQuality } from "../views/quality-view.ts";
import { iso } from "../views/views.ts";
import { spanOf } from "./costs.ts";
import type { Handlers } from "./handler.ts";

/** Of runs and of tasks. Reading and counting them takes about 0.2 s. */
const MAX_RUNS = 10_000;

type QualityDeps = Pick<HttpDeps, "store" | "info" | "clock">;

export function qualityRoutes({ store, info, clock }: QualityDeps): Handlers<"GET /quality" | "GET /nights"> {
  return {
    async "GET /quality"({ query }) {
      const { timeZone } = info();
      const span = { ...spanOf(query, clock.now(), timeZone), project: query.project ?? null };
      const by = QUALITY_DIMENSIONS.filter((dimension) => (query.by ?? ["agent", "model"]).includes(dimension));
      const facts = await store.quality.readFacts({ ...span, limit: MAX_RUNS });
      const [costs, spent] = await Promise.all([store.money.costs({ ...span, by, timeZone }), store.money.spent(span)]);
      return {
        since: iso(span.since),
        until: iso(span.until),
        time_zone: timeZone,
        by,
        rows: withCosts(measureQuality(facts, by), costs, by).map(([quality, cost]) => viewQuality(quality, cost)),
        total: viewFigures(requireOne(measureQuality(facts, [])), spent),
        is_complete: facts.isComplete,
      };
    },

    async "GET /nights"({ query }) {
      const { timeZone } = info();
      const calendar = createCalendar(timeZone);
      const last = calendar.nightOf(clock.now());
      const nights = Array.from({ length: query.nights }, (_, index) => addDays(last, index + 1 - query.nights));
      const since = calendar.noonOf(nights[0] ?? last);
      const span = { since, until: calendar.noonOf(addDays(last, 1)), project: query.project ?? null };
      const [facts, costs] = await Promise.all([
        store.quality.readFacts({ ...span, limit: MAX_RUNS }),
        store.money.costs({ ...span, by: ["night"], timeZone }),
      ]);
      const costOf = new Map(costs.map((row) => [row.key.night, row]));
      return {
        time_zone: timeZone,
        nights: summarizeNights(facts, nights, calendar).map(({ night, result, tasks, changes }) => ({
          night,
          since: iso(calendar.noonOf(night)),
          until: iso(calendar.noonOf(addDays(night, 1))),
          result,
          tasks: { ...tasks },
          changes: { ...changes },
          runs: costOf.get(night)?.runs ?? 0,
          ...viewMoney(costOf.get(night)),
        })),
        is_complete: facts.isComplete,
      };
    },
  };
}

/** Adds groups whose tasks were all deleted, so that the costs of the rows add up to the total. */
function withCosts(
  measured: readonly Quality[],
  costs: readonly CostRow[],
  by: readonly QualityDimension[],
): readonly (readonly [Quality, CostRow | undefined])[] {
  const idOf = (key: QualityKey): string => JSON.stringify(by.map((dimension) => key[dimension] ?? null));
  const known = new Set(measured.map(({ key }) => idOf(key)));
  const costOf = new Map(costs.map((row) => [idOf(row.key), row]));
  const others = costs.filter(({ key }) => !known.has(idOf(key)));
  return [
    ...measured.map((quality) => [quality, costOf.get(idOf(quality.key))] as const),
    ...others.map((row) => [{ ...requireOne(measureQuality(NO_FACTS, [])), key: row.key }, row] as const),
  ];
}

const NO_FACTS = { runs: [], tasks: [], changes: [] };

/** Without dimensions, there is exactly one group. */
function requireOne([only]: readonly Quality[]): Quality {
  if (only === undefined) throw new Error("A measurement without dimensions has no group.");
  return only;
}
