import type { Calendar } from "../schedule/calendar.ts";
import type { QualityFacts } from "./facts.ts";
import { countChanges, countTasks, type ChangeCounts, type TaskCounts } from "./quality.ts";

/**
 * What a night led to: its changes are still open, work failed, its changes were merged or closed, work ended without a
 * change, or nothing ran. If several are true, the first of them.
 */
export const NIGHT_RESULTS = ["open", "failed", "merged", "closed", "unchanged", "idle"] as const;
export type NightResult = (typeof NIGHT_RESULTS)[number];

export interface NightSummary {
  /** The day on which the night began. */
  readonly night: string;
  readonly result: NightResult;
  readonly tasks: TaskCounts;
  readonly changes: ChangeCounts;
}

/** One entry for each night, also for those in which nothing ran. */
export function summarizeNights(
  { tasks, changes }: Pick<QualityFacts, "tasks" | "changes">,
  nights: readonly string[],
  { nightOf }: Pick<Calendar, "nightOf">,
): readonly NightSummary[] {
  const endedIn = Map.groupBy(tasks, ({ finishedAt }) => nightOf(finishedAt));
  const publishedIn = Map.groupBy(changes, ({ publishedAt }) => nightOf(publishedAt));
  return nights.map((night) => {
    const ended = countTasks(endedIn.get(night) ?? []);
    const published = countChanges(publishedIn.get(night) ?? []);
    return { night, result: resultOf(ended, published), tasks: ended, changes: published };
  });
}

function resultOf(tasks: TaskCounts, changes: ChangeCounts): NightResult {
  if (changes.open > 0) return "open";
  if (tasks.failed > 0) return "failed";
  if (changes.merged > 0) return "merged";
  if (changes.closed > 0) return "closed";
  return tasks.ended > 0 ? "unchanged" : "idle";
}
