import { currentNight, nightFrom } from "../../core/report/report-period.ts";
import { createCalendar } from "../../core/schedule/calendar.ts";
import type { BudgetWindow } from "../../core/money/budget.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Report } from "../../core/report/report.ts";
import type { ReportQuery } from "../../engine/report/read-report.ts";
import type { HttpDeps } from "../deps.ts";
import { viewBudget, viewCosts } from "../views/cost-view.ts";
import { listedTaskIds, viewReport } from "../views/report-view.ts";
import { spanOf } from "./costs.ts";
import type { ReportJson } from "../contract/report.ts";
import type { Handlers, Input } from "./handler.ts";

const MAX_DAYS = 92;
/** In autumn, one day has an hour more. */
const MAX_MS = (MAX_DAYS * 24 + 1) * 3_600_000;

export type ReportDeps = Pick<HttpDeps, "store" | "info" | "clock"> & {
  readonly night: Pick<HttpDeps["night"], "report" | "budgets">;
};

type Query = Pick<Input<"GET /report">["query"], "night" | "since" | "project">;

export function reportRoutes(deps: ReportDeps): Handlers<"GET /report"> {
  return { "GET /report": ({ query }) => readReportJson(deps, query) };
}

/** The report of a period with its costs and budgets. */
export async function readReportJson(deps: ReportDeps, query: Query): Promise<ReportJson> {
  const { store, info, clock, night } = deps;
  const { timeZone } = info();
  const project = query.project ?? null;
  const now = clock.now();
  const period = periodOf(query, now, timeZone);
  const report = await night.report({ ...period, project, timeZone, now });
  const by = ["agent"] as const;
  const [costs, before, budgets, shortIds] = await Promise.all([
    store.money.costs({ ...period, project, by, timeZone }),
    sumBefore(deps, report, project),
    night.budgets(project),
    store.tasks.shortenIds("task", listedTaskIds(report)),
  ]);
  return viewReport(report, shortIds, {
    money: { costs: viewCosts(costs, { ...period, timeZone, by }), budgets: budgets.map(viewBudget) },
    time_zone: timeZone,
    previousUsd: before,
  });
}

async function sumBefore(
  { store }: ReportDeps,
  { previous: { since, until } }: Report,
  project: string | null,
): Promise<number | null> {
  const { runs, knownUsd, unknownRuns } = await store.money.spent({ since, until, project });
  return runs > 0 && unknownRuns === runs ? null : knownUsd;
}

function periodOf(
  { night, since }: { readonly night?: string | undefined; readonly since?: string | undefined },
  now: number,
  timeZone: string,
): Pick<ReportQuery, "night" | "since" | "until"> {
  if (since !== undefined) return { night: null, ...requireShort(spanOf({ since }, now, timeZone)) };
  const period = night === undefined ? currentNight(now, timeZone) : requireBegun(nightFrom(night, now, timeZone), now);
  return { night: createCalendar(timeZone).dayOf(period.since), ...period };
}

function requireBegun(period: BudgetWindow, now: number): BudgetWindow {
  if (period.since <= now) return period;
  throw new UserError("invalid", "This night has not begun.", "A night begins at noon of its day.");
}

/** A report reads every task and run of its period. */
function requireShort(period: BudgetWindow): BudgetWindow {
  if (period.until - period.since <= MAX_MS) return period;
  throw new UserError(
    "invalid",
    `A report covers at most the last ${MAX_DAYS} days.`,
    "Use a later --since, or see the costs of a longer period with `nightshift costs --since`.",
  );
}
