import { useSearch, useNavigate } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import { useApi } from "../../api/queries.ts";
import { useTitle } from "../../app/title.ts";
import { Banner, Empty, Loaded } from "../../ui/state.tsx";
import { ComingNights } from "./coming-nights.tsx";
import { Missed } from "./missed.tsx";
import { ScheduleTable } from "./schedule-table.tsx";

const RANGES = ["7", "30"] as const;

/** Recurring work: when it comes next, and what became of the last time. */
export function SchedulesView() {
  useTitle("Schedules");
  const { days = "7" } = useSearch({ strict: false });
  const navigate = useNavigate();
  const range = RANGES.find((each) => each === days) ?? "7";
  const schedules = useApi("GET /schedules", { query: { days: range } }, { keepPrevious: true });
  return (
    <div className="page">
      <div className="flex wrap">
        <h1 className="h1">Schedules</h1>
        <span className="end">
          <span className="seg" role="group" aria-label="Range">
            {RANGES.map((each) => (
              <button
                key={each}
                type="button"
                aria-pressed={each === range}
                onClick={() => void navigate({ to: "/schedules", search: { days: each }, replace: true })}
              >
                {each} days
              </button>
            ))}
          </span>
        </span>
      </div>
      <p className="lead">
        Recurring work, in the time zone of each project. Change it in <code>nightshift.yaml</code>.
      </p>
      <Loaded query={schedules} what="The schedules">
        {({ runs, problems }) => (
          <>
            {problems.map((problem) => (
              <Banner key={problem} kind="red" icon={<TriangleAlert size={16} aria-hidden />}>
                <b className="strong">A schedule cannot be read.</b> <span dir="auto">{problem}</span>
              </Banner>
            ))}
            {runs.length === 0 ? (
              <Empty title="Nothing is scheduled">
                Set <code>improve.schedule</code> or <code>schedules</code> in a project’s <code>nightshift.yaml</code>.
              </Empty>
            ) : (
              <>
                <ScheduleTable runs={runs} days={Number(range)} />
                <Missed />
                <ComingNights runs={runs} days={Number(range)} />
              </>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}
