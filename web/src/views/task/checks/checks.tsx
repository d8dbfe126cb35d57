import { useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import type { EventJson, TaskJson } from "../../../../../src/http/client/client.ts";
import { findRunningCheck } from "../../../../../src/core/task/running-check.ts";
import { Glyph } from "../../../ui/glyph.tsx";
import { Empty } from "../../../ui/state.tsx";
import { Time } from "../../../ui/time.tsx";
import { CheckLog } from "./check-log.tsx";
import { Explanations } from "./explanations.tsx";
import { Matrix } from "./matrix.tsx";
import { Proof } from "./proof.tsx";
import { chooseCell, readMatrix } from "./read-matrix.ts";

interface ChecksTabProps {
  readonly task: TaskJson;
  readonly events: readonly EventJson[];
}

/** Whether the change works, as the engine found out by itself. */
export function ChecksTab({ task, events }: ChecksTabProps) {
  const { run, check } = useSearch({ strict: false });
  const matrix = useMemo(() => readMatrix(task), [task]);
  const column = matrix.columns.find((each) => each.run.id === run || each.run.short_id === run);
  const asked = column === undefined || check === undefined ? null : matrix.find(column.run.id, check);
  const chosen = asked ?? chooseCell(matrix);
  const running = findRunningCheck(events);
  return (
    <div className="tab-body">
      {running !== null && (
        <p className="flex">
          <Glyph name="running" />
          <span>
            <b dir="auto">{running.name}</b> runs since <Time at={running.since} />
          </span>
        </p>
      )}
      {matrix.columns.length === 0 ? (
        running === null && (
          <Empty title="No check has run yet">
            The engine runs the project&apos;s checks on a fresh checkout of each commit, after an agent reported its
            work.
          </Empty>
        )
      ) : (
        <>
          <p className="muted">
            Run by the engine on a fresh checkout of each commit. What agents said about tests is not here.
          </p>
          <Proof proof={task.proof} />
          <Matrix {...{ task, matrix, chosen }} />
          <Explanations task={task} />
          {chosen !== null && (
            <CheckLog
              key={`${chosen.run} ${chosen.name}`}
              task={task}
              check={chosen}
              baseRun={findBaseRun(events, chosen.name)}
            />
          )}
        </>
      )}
    </div>
  );
}

/** The run of the task that ran the check on the base commit. Mostly another task did, because it is done once per commit. */
function findBaseRun(events: readonly EventJson[], name: string): string | null {
  const started = events.findLast(
    ({ type, data }) => type === "check.started" && data["name"] === name && data["on"] === "base",
  );
  return started?.run ?? null;
}
