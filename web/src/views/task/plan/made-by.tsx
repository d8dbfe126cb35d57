import { Link } from "@tanstack/react-router";
import type { RunJson, TaskJson } from "../../../../../src/http/client/client.ts";
import { formatDuration, formatMoney } from "../../../ui/format.ts";
import { Time } from "../../../ui/time.tsx";
import { Fact } from "../facts/fact.tsx";

interface MadeByProps {
  readonly task: TaskJson;
  readonly run: RunJson | undefined;
  readonly document: TaskJson["documents"][number];
}

export function MadeBy({ task, run, document: { kind, version, at } }: MadeByProps) {
  const versions = task.documents.filter((each) => each.kind === kind).length;
  return (
    <>
      <h2>Made by</h2>
      <dl>
        <Fact name="Agent">{run?.agent}</Fact>
        <Fact name="Model">{run?.model}</Fact>
        <Fact name="Role">
          {run !== undefined && (
            <Link
              className="link"
              to="/tasks/$id/$tab"
              params={{ id: task.id, tab: "transcript" }}
              search={{ run: run.id }}
            >
              {run.role}
            </Link>
          )}
        </Fact>
        <Fact name="Made">
          <Time at={at} />
        </Fact>
        <Fact name="Took">
          {run?.duration_ms != null &&
            `${formatDuration(run.duration_ms)}, ${run.cost_usd === null ? "cost unknown" : formatMoney(run.cost_usd)}`}
        </Fact>
        <Fact name="Version">{versions > 1 && `${version} of ${versions}`}</Fact>
      </dl>
    </>
  );
}
