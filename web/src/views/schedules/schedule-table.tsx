import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { describeCron } from "../../../../src/core/schedule/describe-cron.ts";
import type { TaskJson } from "../../../../src/http/client/client.ts";
import { useApi } from "../../api/queries.ts";
import { useRefusal } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { Glyph } from "../../ui/glyph.tsx";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { Time } from "../../ui/time.tsx";
import { useNow } from "../../ui/use-now.ts";
import { RunNow } from "./run-now.tsx";
import { formatSlot, formatUntil, listSchedules, type Upcoming } from "./upcoming.ts";

export function ScheduleTable({ runs, days }: { runs: readonly Upcoming[]; days: number }) {
  const [running, setRunning] = useState<Upcoming | null>(null);
  return (
    <>
      <ScrollArea label="Schedules">
        <table className="cards-sm">
          <thead>
            <tr>
              <th>Schedule</th>
              <th>Project</th>
              <th>When</th>
              <th>Next</th>
              <th>Last</th>
              <th>
                <span className="sr">Action</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {listSchedules(runs).map((run) => (
              <ScheduleRow key={`${run.project} ${run.name}`} run={run} days={days} onRun={() => setRunning(run)} />
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {running !== null && <RunNow schedule={running} onClose={() => setRunning(null)} />}
    </>
  );
}

function ScheduleRow({ run, days, onRun }: { run: Upcoming; days: number; onRun: () => void }) {
  const refusal = useRefusal("submit", "Running a schedule");
  const now = useNow();
  const words = describeCron(run.cron);
  return (
    <tr>
      <td className="strong" dir="auto">
        {run.name}
      </td>
      <td dir="auto">
        <Link className="muted" to="/projects/$name" params={{ name: run.project }}>
          {run.project}
        </Link>
      </td>
      <td className="w2">
        {words}
        <div className="faint mono small">
          {run.cron} {run.time_zone}
        </div>
      </td>
      <td className="w2">
        {run.at === null ? (
          `not within ${days} days`
        ) : (
          <>
            {formatSlot(run.at, run.time_zone)}
            <div className="faint small">{formatUntil(run.at, now)}</div>
          </>
        )}
      </td>
      <td className="w2">
        <LastTask run={run} />
      </td>
      <td className="num">
        <Button size="small" refusal={refusal} onClick={onRun}>
          Run now…
        </Button>
      </td>
    </tr>
  );
}

/** The newest task with this pipeline and, unless it is the nightly improvement, this title. */
function LastTask({ run }: { run: Upcoming }) {
  const { project, pipeline } = run;
  const tasks = useApi("GET /tasks", { query: { project, pipeline, limit: "20" } }).data?.tasks;
  const last = tasks?.find(({ title }) => run.categories !== null || title === run.title);
  if (tasks === undefined) return null;
  if (last === undefined) return <span className="faint">none yet</span>;
  return (
    <>
      <Link className="flex" to="/tasks/$id" params={{ id: last.id }}>
        <Glyph name={last.status} label={last.status} />
        <span>{describeEnd(last)}</span>
      </Link>
      <div className="faint small">
        <Time at={last.created_at} />
      </div>
    </>
  );
}

function describeEnd({ status, state, change_request: request }: TaskJson): string {
  const end = status === "succeeded" ? state.replaceAll("_", " ") : status;
  return request === null ? end : `${end} #${request.number}`;
}
