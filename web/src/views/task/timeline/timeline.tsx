import type { UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import type { EventJson, TaskJson } from "../../../../../src/http/client/client.ts";
import { DecideTask } from "../../../decide/decide-task.tsx";
import { Loaded } from "../../../ui/state.tsx";
import { DECISION_ID } from "../actions/decide-link.tsx";
import { FactsColumn } from "../facts/facts-column.tsx";
import { WAITING_WORDS } from "../head/status-words.ts";
import { buildTimeline, groupByDay, type TimelineEntry } from "./build-timeline.ts";
import { EventLine } from "./event-line.tsx";
import { Line } from "./line.tsx";
import { RunLine } from "./run-line.tsx";

interface TimelineProps {
  readonly task: TaskJson;
  readonly events: UseQueryResult<readonly EventJson[]>;
}

/** What happened to the task, and its facts. What it waits for comes first. */
export function Timeline({ task, events }: TimelineProps) {
  return (
    <div className="two">
      <div>
        {task.waiting_for !== null && (
          <section className="your-turn" id={DECISION_ID} tabIndex={-1} aria-label="Your turn">
            <DecideTask task={task.id} />
          </section>
        )}
        <Loaded query={events} what="The timeline">
          {(list) => <Days task={task} events={list} />}
        </Loaded>
      </div>
      <FactsColumn task={task} />
    </div>
  );
}

function Days({ task, events }: { task: TaskJson; events: readonly EventJson[] }) {
  const days = useMemo(() => groupByDay(buildTimeline(task, events)), [task, events]);
  return days.map(({ label, entries }) => (
    <section key={entries[0]?.id ?? label} aria-label={label}>
      <h2 className="day">{label}</h2>
      <ol className="tl">
        {entries.map((entry) => (
          <Entry key={entry.id} task={task} entry={entry} />
        ))}
      </ol>
    </section>
  ));
}

function Entry({ task, entry }: { task: TaskJson; entry: TimelineEntry }) {
  switch (entry.kind) {
    case "run":
      return <RunLine task={task} run={entry.run} check={entry.check} />;
    case "event":
      return <EventLine task={task} event={entry.event} />;
    case "waiting":
      return (
        <Line at={entry.at} mark="waiting">
          <b>{task.waiting_for === null ? "Waiting for you" : WAITING_WORDS[task.waiting_for.kind]}</b>
        </Line>
      );
  }
}
