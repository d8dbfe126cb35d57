import { useApi } from "../../../api/queries.ts";
import type { ReportJson } from "../../../../../src/http/client/client.ts";
import { formatMoney, plural } from "../../../ui/format.ts";
import { ScrollArea } from "../../../ui/scroll-area.tsx";
import { Section } from "../../../ui/section.tsx";
import { nameNight } from "../night-dates.ts";

const DAYS = 7;

/** This night next to the one before, by the same measure: what ended in it. */
export function ComparisonSection({ report }: { report: ReportJson }) {
  const { previous, since, night, time_zone: zone } = report;
  const tasks = Object.values(report.sections).flatMap((section) => section.tasks);
  const ended = tasks.filter(({ finished_at: at }) => at !== null && at >= since);
  const count = (status: string): number => ended.filter((task) => task.status === status).length;
  const { runs, cost_usd: usd } = report.money.costs.total;
  const before = new Date(previous.since).toLocaleDateString("sv-SE", { timeZone: zone });
  const rows = [
    {
      name: night === null ? "This period" : nameNight(night),
      succeeded: count("succeeded"),
      failed: count("failed"),
      usd: runs === 0 ? 0 : usd,
    },
    { name: nameNight(before), succeeded: previous.succeeded, failed: previous.failed, usd: previous.cost_usd },
  ];
  return (
    <Section title="Since last night">
      <ScrollArea label="This night and the last">
        <table className="nights-two">
          <thead>
            <tr>
              <th>Night</th>
              <th className="num">Succeeded</th>
              <th className="num">Failed</th>
              <th className="num">Cost</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={row.name} className={index === 0 ? undefined : "muted"}>
                <td>{row.name}</td>
                <td className="num">{row.succeeded}</td>
                <td className="num">{row.failed}</td>
                <td className="num">{formatMoney(row.usd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      <WeekLine />
    </Section>
  );
}

/** What became of the changes of the last days. */
function WeekLine() {
  const nights = useApi("GET /nights", { query: { nights: DAYS } }).data?.nights ?? [];
  const sum = (of: (changes: (typeof nights)[number]["changes"]) => number): number =>
    nights.reduce((all, { changes }) => all + of(changes), 0);
  const published = sum((changes) => changes.published);
  if (published === 0) return null;
  return (
    <p className="muted week">
      Last {DAYS} nights: {plural(published, "change")} published, {sum(({ merged }) => merged)} merged,{" "}
      {sum(({ closed }) => closed)} closed, {sum(({ open }) => open)} open.
    </p>
  );
}
