import { addDays, createCalendar } from "../../core/schedule/calendar.ts";
import { COST_DIMENSIONS } from "../../core/money/cost-dimensions.ts";
import { UserError } from "../../core/text/errors.ts";
import type { CostsQuery } from "../contract/costs.ts";
import { viewBudget, viewCosts } from "../views/cost-view.ts";
import type { HttpDeps } from "../deps.ts";
import type { Handlers } from "./handler.ts";

const DEFAULT_DAYS = 30;

type CostDeps = Pick<HttpDeps, "store" | "info" | "clock" | "night">;

export function costRoutes({ store, info, clock, night }: CostDeps): Handlers<"GET /costs" | "GET /budgets"> {
  return {
    async "GET /budgets"({ query }) {
      return { budgets: (await night.budgets(query.project ?? null)).map(viewBudget) };
    },

    async "GET /costs"({ query }) {
      const { timeZone } = info();
      const { since, until } = spanOf(query, clock.now(), timeZone);
      const by = [...new Set(query.by ?? COST_DIMENSIONS.filter((dimension) => dimension !== "night"))];
      const rows = await store.money.costs({ since, until, project: query.project ?? null, by, timeZone });
      return viewCosts(rows, { since, until, timeZone, by });
    },
  };
}

/** Converts the query to a time range, from the start of the first day to the end of the last day in the time zone. */
export function spanOf(
  { since, until }: Pick<CostsQuery, "since" | "until">,
  now: number,
  timeZone: string,
): { readonly since: number; readonly until: number } {
  const { dayOf, startOf } = createCalendar(timeZone);
  const end = until === undefined ? now + 1 : isDay(until) ? startOf(addDays(until, 1)) : Date.parse(until);
  const [, days = DEFAULT_DAYS] = /^(\d+)d$/.exec(since ?? `${DEFAULT_DAYS}d`) ?? [];
  const start =
    since === undefined || since.endsWith("d")
      ? startOf(addDays(dayOf(end - 1), 1 - Number(days)))
      : isDay(since)
        ? startOf(since)
        : Date.parse(since);
  if (start < end) return { since: start, until: end };
  throw new UserError(
    "invalid",
    `The requested period ends (${new Date(end).toISOString()}) before it starts (${new Date(start).toISOString()}).`,
    "since must be before until. If until is a day, the whole day is included.",
  );
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text);
}
