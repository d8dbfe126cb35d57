import type { SchedulesJson } from "../../../../src/http/client/client.ts";
import { formatDuration } from "../../ui/format.ts";

export type Upcoming = SchedulesJson["runs"][number];

/** The next run of each schedule. The list is sorted by time. */
export function listSchedules(runs: readonly Upcoming[]): readonly Upcoming[] {
  const byKey = new Map<string, Upcoming>();
  for (const run of runs) {
    const key = `${run.project} ${run.name}`;
    if (!byKey.has(key)) byKey.set(key, run);
  }
  return [...byKey.values()];
}

/** "Wed 18 Nov 02:00" in the time zone of the schedule. */
export function formatSlot(at: string, timeZone: string): string {
  const options = { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const;
  return new Date(at).toLocaleString("en-GB", { ...options, timeZone }).replaceAll(",", "");
}

export function formatUntil(at: string, now: number): string {
  const ms = Date.parse(at) - now;
  return ms <= 0 ? "now" : `in ${formatDuration(ms)}`;
}

/** What a run does: the categories in their order, or the title of the task. */
export function describeWork({ title, categories }: Upcoming): string {
  if (categories === null) return title;
  return categories.length === 0 ? "nothing: no category for this day" : categories.join(", ");
}
