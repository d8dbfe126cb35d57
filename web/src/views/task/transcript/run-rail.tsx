import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { RunJson, TaskJson } from "../../../../../src/http/client/client.ts";
import { formatFullTime, formatTime } from "../../../ui/format.ts";
import { Glyph } from "../../../ui/glyph.tsx";
import { describeRun, glyphOf, nameRun } from "./run-words.ts";

/** The runs of a task that have started. On phones a row of chips. */
export function RunRail({ task, runs, current }: { task: TaskJson; runs: readonly RunJson[]; current: RunJson }) {
  const rail = useRef<HTMLElement>(null);
  const { id } = current;
  useEffect(() => {
    const link = rail.current?.querySelector<HTMLElement>(`[data-run="${id}"]`);
    if (link != null && rail.current !== null)
      rail.current.scrollLeft = link.offsetLeft - (rail.current.clientWidth - link.offsetWidth) / 2;
  }, [id]);
  return (
    <nav className="rail" aria-label="Runs" ref={rail}>
      {runs.map((run) => (
        <Link
          key={run.id}
          data-run={run.id}
          to="/tasks/$id/$tab"
          params={{ id: task.id, tab: "transcript" }}
          search={{ run: run.short_id }}
          activeProps={{}}
          aria-current={run.id === current.id ? "page" : undefined}
          resetScroll={false}
        >
          <RunGlyph run={run} task={task} />
          <span className="clip run-name">{nameRun(run)}</span>
          {run.started_at !== null && (
            <time className="tm" dateTime={run.started_at} title={formatFullTime(run.started_at)}>
              {formatTime(run.started_at)}
            </time>
          )}
          <span className="m clip">{describeRun(run, task)}</span>
        </Link>
      ))}
    </nav>
  );
}

function RunGlyph({ run, task }: { run: RunJson; task: TaskJson }) {
  const name = glyphOf(run, task);
  if (name !== null) return <Glyph name={name} label={name} />;
  return (
    <svg width={16} height={16} viewBox="0 0 16 16" className="faint" aria-hidden>
      <circle cx="8" cy="8" r="2.6" fill="currentColor" />
    </svg>
  );
}
