import { Link } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { Fragment } from "react";
import { useNavigate } from "@tanstack/react-router";
import { useApi } from "../../api/queries.ts";
import { useShortcut } from "../../app/shortcuts.ts";
import { SECTIONS, type Section } from "../../../../src/core/report/sections.ts";
import type { ReportJson } from "../../../../src/http/client/client.ts";
import { formatMoney, plural } from "../../ui/format.ts";
import { nameMorning, nameNight, nightAfter, nightBefore } from "./night-dates.ts";

const WORDS: Readonly<Record<Section, string>> = {
  decide: "to decide",
  review: "to review",
  failed: "failed",
  running: "running",
  queued: "queued",
  skipped: "skipped",
  merged: "merged",
  done: "done",
  cancelled: "cancelled",
};

/** The date, the verdict, and numbers that add up to the tasks of the sections below. */
export function ReportHead({ report, isCurrent }: { report: ReportJson; isCurrent: boolean }) {
  const { verdict, night } = report;
  return (
    <>
      {night !== null && <NightNav night={night} zone={report.time_zone} isCurrent={isCurrent} />}
      <h1 className="verdict">
        {verdict.fact} <span>{verdict.consequence}</span>
      </h1>
      <SumLine report={report} />
    </>
  );
}

function NightNav({ night, zone, isCurrent }: { night: string; zone: string; isCurrent: boolean }) {
  const navigate = useNavigate();
  const newest = useApi("GET /nights", { query: { nights: 1 } }).data?.nights[0]?.night ?? null;
  const earlier = nightBefore(night);
  const later = nightAfter(night, newest);
  const openLater = (): unknown =>
    later === null ? navigate({ to: "/" }) : navigate({ to: "/nights/$date", params: { date: later } });
  useShortcut({
    keys: "[",
    label: "The night before",
    run: () => void navigate({ to: "/nights/$date", params: { date: earlier } }),
  });
  useShortcut(isCurrent ? null : { keys: "]", label: "The night after", run: () => void openLater() });
  const isElsewhere = new Intl.DateTimeFormat().resolvedOptions().timeZone !== zone;
  return (
    <div className="night-nav">
      <span>
        {nameMorning(night)}, {nameNight(night).replace("N", "n")}
        {isElsewhere && <span className="faint"> ({zone})</span>}
      </span>
      <span className="end flex">
        <Link className="btn quiet sm" to="/nights/$date" params={{ date: earlier }} aria-label="The night before ([)">
          <ChevronLeft size={14} aria-hidden />
          Earlier
        </Link>
        {!isCurrent && <LaterLink later={later} />}
      </span>
    </div>
  );
}

function LaterLink({ later }: { later: string | null }) {
  const content = (
    <>
      Later
      <ChevronRight size={14} aria-hidden />
    </>
  );
  const look = { className: "btn quiet sm", "aria-label": "The night after (])" };
  return later === null ? (
    <Link {...look} to="/">
      {content}
    </Link>
  ) : (
    <Link {...look} to="/nights/$date" params={{ date: later }}>
      {content}
    </Link>
  );
}

function SumLine({ report: { sections, money, since } }: { report: ReportJson }) {
  const parts = SECTIONS.filter((name) => sections[name].total > 0);
  const total = parts.reduce((sum, name) => sum + sections[name].total, 0);
  const minutes = sections.review.tasks.reduce((sum, { change }) => sum + (change?.reading_minutes ?? 0), 0);
  const { runs, cost_usd: usd, unknown_cost: unknown } = money.costs.total;
  // Between noon and evening the report still shows the last night, and the budget is already that of the next.
  const budget = money.budgets.find((each) => each.window === "night" && each.project === null && each.since === since);
  return (
    <div className="facts">
      <span>
        <Link to="/tasks">
          <b>{total}</b> {total === 1 ? "task" : "tasks"}
        </Link>
        {parts.map((name, index) => (
          <Fragment key={name}>
            {index === 0 ? ": " : ", "}
            <a href={`#${name}`}>
              {sections[name].total} {WORDS[name]}
            </a>
          </Fragment>
        ))}
      </span>
      {minutes > 0 && (
        <a href="#review">
          about <b>{minutes} min</b> to read
        </a>
      )}
      <Link to="/costs">
        <b>{formatMoney(runs === 0 ? 0 : usd)}</b>
        {budget !== undefined && ` of ${formatMoney(budget.limit_usd)}`}
        {unknown > 0 && usd !== null && `, ${plural(unknown, "run")} of unknown cost`}
      </Link>
    </div>
  );
}
