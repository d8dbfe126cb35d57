import { Link } from "@tanstack/react-router";
import type { RunJson, TaskJson } from "../../../../../src/http/client/client.ts";
import { formatCount } from "../../../ui/format.ts";
import { ScrollArea } from "../../../ui/scroll-area.tsx";

/** What the sandbox refused to the runs, how often, and what would allow it. */
export function Denials({ task }: { task: TaskJson }) {
  const runs = task.runs.filter(({ denials }) => denials.length > 0);
  return (
    <section aria-labelledby="refused">
      <h2 className="h3" id="refused">
        What was refused
      </h2>
      {runs.length === 0 ? (
        <p className="muted">The sandbox refused nothing to the runs of this task.</p>
      ) : (
        <ScrollArea label="Refused accesses">
          <table>
            <thead>
              <tr>
                <th>Run</th>
                <th>What</th>
                <th>Why, and what would allow it</th>
                <th className="num">Times</th>
              </tr>
            </thead>
            <tbody>
              {runs.map((run) =>
                run.denials.map((denial) => (
                  <Row key={`${run.id} ${denial.kind} ${denial.target}`} {...{ task, run, denial }} />
                )),
              )}
            </tbody>
          </table>
        </ScrollArea>
      )}
    </section>
  );
}

interface RowProps {
  readonly task: TaskJson;
  readonly run: RunJson;
  readonly denial: RunJson["denials"][number];
}

function Row({ task, run, denial: { kind, target, sentence, count } }: RowProps) {
  return (
    <tr>
      <td className="nowrap">
        <Link
          className="link"
          to="/tasks/$id/$tab"
          params={{ id: task.id, tab: "transcript" }}
          search={{ run: run.id }}
        >
          {run.role ?? run.step}
        </Link>
      </td>
      <td dir="auto" className="words">
        {kind} <code>{target}</code>
      </td>
      <td dir="auto" className="words">
        {sentence.replace(/^denied: /, "")}
      </td>
      <td className="num">{formatCount(count)}</td>
    </tr>
  );
}
