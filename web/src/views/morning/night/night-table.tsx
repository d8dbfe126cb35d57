import { Link } from "@tanstack/react-router";
import type { ReportJson } from "../../../../../src/http/client/client.ts";
import { formatDuration } from "../../../ui/format.ts";
import { ScrollArea } from "../../../ui/scroll-area.tsx";
import { clock, gapWords } from "./night-words.ts";

const STEPS = { agent: "Agent", checks: "Checks", publish: "Publishing", post: "Posting" } as const;

/** What the night line draws, as rows. */
export function NightTable({ report }: { report: ReportJson }) {
  const { spans, gaps, sections, time_zone: zone } = report;
  const titles = new Map(Object.values(sections).flatMap(({ tasks }) => tasks.map(({ id, title }) => [id, title])));
  const runs = spans.map((span) => ({
    key: span.run,
    from: span.from,
    to: span.to,
    what: STEPS[span.step],
    task: span.task,
    project: span.project,
    result: span.to === null ? "running" : span.status,
  }));
  const stops = gaps.map((gap) => ({
    key: `${gap.reason} ${gap.from}`,
    from: gap.from,
    to: gap.to,
    what: gapWords(gap),
    task: null,
    project: "",
    result: "nothing could run",
  }));
  const rows = [...runs, ...stops].toSorted((a, b) => (a.from < b.from ? -1 : 1));
  return (
    <ScrollArea className="night-table" label="The night as a table">
      <table>
        <thead>
          <tr>
            <th>From</th>
            <th>To</th>
            <th className="num">Duration</th>
            <th>What</th>
            <th>Task</th>
            <th>Project</th>
            <th>Result</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, from, to, what, task, project, result }) => (
            <tr key={key}>
              <td>{clock(from, zone)}</td>
              <td>{to === null ? "–" : clock(to, zone)}</td>
              <td className="num nowrap">{to === null ? "–" : formatDuration(Date.parse(to) - Date.parse(from))}</td>
              <td dir="auto">{what}</td>
              <td dir="auto">
                {task !== null && (
                  <Link className="link" to="/tasks/$id" params={{ id: task }}>
                    {titles.get(task) ?? task}
                  </Link>
                )}
              </td>
              <td dir="auto">{project}</td>
              <td>{result}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}
