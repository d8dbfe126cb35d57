import { ArrowUpRight } from "lucide-react";
import { useApi } from "../../../api/queries.ts";
import type { ReportedTaskJson, ReportJson } from "../../../../../src/http/client/client.ts";
import { formatDuration, plural } from "../../../ui/format.ts";
import type { GlyphName } from "../../../ui/glyph.tsx";
import { Section } from "../../../ui/section.tsx";
import { Time } from "../../../ui/time.tsx";
import { More } from "../more.tsx";
import { TaskRow } from "../task-row.tsx";
import { PauseButton, ResumeButton } from "./pause-button.tsx";
import { describeCost } from "./task-words.ts";

type Name = "running" | "queued" | "skipped" | "merged" | "done" | "cancelled";

interface Look {
  readonly title: string;
  readonly hint?: string;
  readonly glyph: (task: ReportedTaskJson) => GlyphName;
  readonly search: Readonly<Record<string, string>>;
}

const LOOKS: Readonly<Record<Name, Look>> = {
  running: { title: "Running", glyph: () => "running", search: { status: "running" } },
  queued: {
    title: "Queued",
    glyph: ({ status }) => (status === "paused" ? "paused" : "queued"),
    search: { status: "queued,paused" },
  },
  skipped: {
    title: "Skipped",
    hint: "Nothing worth a change",
    glyph: () => "skipped",
    search: { status: "succeeded" },
  },
  merged: { title: "Merged", glyph: () => "succeeded", search: { status: "succeeded" } },
  done: { title: "Done", glyph: () => "succeeded", search: { status: "succeeded" } },
  cancelled: { title: "Cancelled", glyph: () => "cancelled", search: { status: "cancelled" } },
};

/** A section that a person only reads. */
export function ReadSection({
  name,
  section: { total, tasks },
}: {
  name: Name;
  section: ReportJson["sections"][Name];
}) {
  const { title, hint, glyph, search } = LOOKS[name];
  return (
    <Section anchor={name} title={title} count={total} hint={hint}>
      {tasks.map((task) => (
        <TaskRow
          key={task.id}
          task={task}
          glyph={glyph(task)}
          facts={factsOf(name, task)}
          actions={<RowAction task={task} />}
        >
          {task.reason !== null && name !== "queued" && (
            <p className="said" dir="auto">
              {task.reason}
            </p>
          )}
        </TaskRow>
      ))}
      <More total={total} shown={tasks.length} search={search} />
    </Section>
  );
}

function factsOf(name: Name, task: ReportedTaskJson) {
  switch (name) {
    case "running":
      return [task.state, `for ${formatDuration(task.duration_ms)}`, soFar(task)];
    case "queued":
      return [task.status === "paused" ? "paused" : task.state, describeQueue(task)];
    default:
      return [
        task.finished_at !== null && (
          <>
            ended <Time at={task.finished_at} />
          </>
        ),
        describeCost(task),
      ];
  }
}

function soFar(task: ReportedTaskJson): string | null {
  const cost = describeCost(task);
  return cost === null ? null : `${cost} so far`;
}

function describeQueue({ status, reason }: ReportedTaskJson): string | null {
  if (status === "paused") return null;
  return reason === null ? "waiting for a free slot" : `waiting: ${reason.replaceAll("_", " ")}`;
}

function RowAction({ task }: { task: ReportedTaskJson }) {
  switch (task.status) {
    case "running":
    case "queued":
      return <PauseButton task={task} />;
    case "paused":
      return <ResumeButton task={task} />;
    default:
      return <RequestLink task={task} />;
  }
}

function RequestLink({ task: { change_request: request } }: { task: ReportedTaskJson }) {
  if (request === null) return null;
  return (
    <a className="btn sm" href={request.url} rel="noreferrer" target="_blank">
      #{request.number}, {request.state} <ArrowUpRight size={12} aria-hidden />
    </a>
  );
}

/** Scheduled work that did not start in time or at all. */
export function MissedSection({ missed }: { missed: ReportJson["missed"] }) {
  if (missed.length === 0) return null;
  return (
    <Section title="Not started" count={missed.length} hint={plural(missed.length, "scheduled time")}>
      <ul className="stack muted">
        {missed.map(({ at, text }) => (
          <li key={`${at} ${text}`} dir="auto">
            <Time at={at} />: {text}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What the daemon says about itself, such as that it runs without a sandbox. */
export function MachineSection() {
  const problems = useApi("GET /status").data?.problems ?? [];
  if (problems.length === 0) return null;
  return (
    <Section title="The machine">
      <ul className="stack muted">
        {problems.map((text) => (
          <li key={text} dir="auto">
            {text}
          </li>
        ))}
      </ul>
    </Section>
  );
}
