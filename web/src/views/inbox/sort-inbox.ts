import type { TaskJson } from "../../../../src/http/client/client.ts";
import { compareWaits, isAboutMerge, type Waiting } from "../../decide/wait.ts";

/** A task that waits for a person. */
export type WaitingTask = TaskJson & { readonly waiting_for: Waiting };

interface SortedInbox {
  readonly decide: readonly WaitingTask[];
  readonly review: readonly WaitingTask[];
}

/** The nearest deadline first, then the one that has waited longest. Changes to merge come last. */
export function sortInbox(tasks: readonly TaskJson[]): SortedInbox {
  const waiting = tasks
    .filter((task): task is WaitingTask => task.waiting_for !== null)
    .toSorted((a, b) => compareWaits(a.waiting_for, b.waiting_for));
  return {
    decide: waiting.filter((task) => !isAboutMerge(task.waiting_for)),
    review: waiting.filter((task) => isAboutMerge(task.waiting_for)),
  };
}
