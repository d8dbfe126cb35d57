import type { EventJson, RunJson, TaskJson } from "../../../../../src/http/client/client.ts";

/** One line of the timeline. */
export type TimelineEntry =
  | {
      readonly kind: "run";
      readonly id: string;
      readonly at: string;
      readonly run: RunJson;
      readonly check: string | null;
    }
  | { readonly kind: "event"; readonly id: string; readonly at: string; readonly event: EventJson }
  | { readonly kind: "waiting"; readonly id: string; readonly at: string };

type TimelineTask = Pick<TaskJson, "runs" | "waiting_for">;

/** Events that say what the lines of runs say already. */
const PART_OF_RUNS: ReadonlySet<EventJson["type"]> = new Set([
  "run.started",
  "run.ended",
  "run.denied",
  "run.tools",
  "check.started",
  "check.ended",
  "artifact.added",
]);
/** The lines around them say where the task is. */
const ABOUT_STATES: ReadonlySet<EventJson["type"]> = new Set(["task.state", "task.waiting"]);

/** What happened to a task, for a person: each run once, and everything else that is worth a line, oldest first. */
export function buildTimeline(
  { runs, waiting_for: waiting }: TimelineTask,
  events: readonly EventJson[],
): readonly TimelineEntry[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const shown = new Set<string>();
  const entries = events.flatMap((event): TimelineEntry[] => {
    const run = event.type === "run.started" && event.run !== null ? byId.get(event.run) : undefined;
    if (run !== undefined && !shown.has(run.id)) {
      shown.add(run.id);
      return [{ kind: "run", id: run.id, at: event.at, run, check: findCheck(run, events) }];
    }
    if (!isInteresting(event)) return [];
    return [{ kind: "event", id: String(event.id), at: event.at, event }];
  });
  if (waiting !== null) entries.push({ kind: "waiting", id: "waiting", at: waiting.since });
  return entries;
}

function isInteresting({ type, level }: EventJson): boolean {
  if (PART_OF_RUNS.has(type) || ABOUT_STATES.has(type)) return false;
  // The set-up of a workspace is only worth a line if something went wrong.
  return type === "workspace.setup" ? level === "warning" || level === "error" : level !== "debug";
}

/** The name of the check that the run executes now. */
function findCheck({ id, step, finished_at: end }: RunJson, events: readonly EventJson[]): string | null {
  if (step !== "checks" || end !== null) return null;
  const last = events.findLast(({ run, type }) => run === id && (type === "check.started" || type === "check.ended"));
  const name = last?.type === "check.started" ? last.data["name"] : null;
  return typeof name === "string" ? name : null;
}

export interface TimelineDay {
  /** "Monday 16 November". */
  readonly label: string;
  readonly entries: readonly TimelineEntry[];
}

/** Entries by the day in the browser's time zone. */
export function groupByDay(entries: readonly TimelineEntry[]): readonly TimelineDay[] {
  const days: { label: string; entries: TimelineEntry[] }[] = [];
  for (const entry of entries) {
    const label = nameDay(entry.at);
    const day = days.at(-1);
    if (day?.label === label) day.entries.push(entry);
    else days.push({ label, entries: [entry] });
  }
  return days;
}

function nameDay(at: string): string {
  const date = new Date(at);
  const year = date.getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" as const };
  return date.toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long", ...year }).replace(",", "");
}
