import { useApi } from "../../api/queries.ts";
import { formatMoney } from "../../ui/format.ts";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { describeWork, formatSlot, type Upcoming } from "./upcoming.ts";

const MAX_ROWS = 60;

/** Every scheduled run of the chosen days. */
export function ComingNights({ runs, days }: { runs: readonly Upcoming[]; days: number }) {
  const planned = runs.filter(({ at }) => at !== null);
  const budgets = useApi("GET /budgets").data?.budgets ?? [];
  const limit = budgets.find(({ window, project }) => window === "night" && project === null)?.limit_usd ?? null;
  if (planned.length === 0) return null;
  return (
    <section className="roles" aria-labelledby="coming">
      <h2 id="coming">The coming {days} days</h2>
      {limit !== null && (
        <p className="hint">Worst case for a night: {formatMoney(limit)}, the limit of all projects together.</p>
      )}
      <ScrollArea label="The coming nights">
        <table className="nowrap-sm">
          <thead>
            <tr>
              <th>When</th>
              <th>Schedule</th>
              <th>Project</th>
              <th>What</th>
            </tr>
          </thead>
          <tbody>
            {planned.slice(0, MAX_ROWS).map((run) => (
              <tr key={`${run.at} ${run.project} ${run.name}`}>
                <td className="nowrap">{run.at !== null && formatSlot(run.at, run.time_zone)}</td>
                <td dir="auto">{run.name}</td>
                <td className="muted" dir="auto">
                  {run.project}
                </td>
                <td dir="auto">{describeWork(run)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {planned.length > MAX_ROWS && <p className="hint">And {planned.length - MAX_ROWS} more.</p>}
    </section>
  );
}
