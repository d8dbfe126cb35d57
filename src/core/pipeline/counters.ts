import type { AdvanceParams } from "./advance/advance.ts";
import { entryOf, isFailure } from "../outcomes/outcome.ts";
import { backoffDelayMs } from "../task/retry.ts";
import type { QueuedFor, Task } from "../task/task.ts";

/** The delay grows with the number of failures in a row, in whichever state they happened. */
export function backOff({ task, at }: AdvanceParams): { readonly task: Task; readonly queuedFor: QueuedFor } {
  const counted = increment(task, FAILURES_IN_A_ROW);
  const until = at + backoffDelayMs(counted.counters[FAILURES_IN_A_ROW] ?? 1);
  return { task: counted, queuedFor: { kind: "backoff", until } };
}

/** The colon keeps it apart from the names of limits. */
const FAILURES_IN_A_ROW = ":failures";

export function endFailureRow(task: Task, { outcome, run }: AdvanceParams): Task {
  if (run !== null && isFailure(outcome)) return task;
  const { [FAILURES_IN_A_ROW]: _ended, ...counters } = task.counters;
  return { ...task, counters };
}

/** Parked and interrupted runs do not count; the next run is the same attempt. */
export function countRun(task: Task, { outcome, run }: AdvanceParams): Task {
  if (run === null || !entryOf(outcome.name).countsAsAttempt) return task;
  return increment(task, `ran:${run.role ?? run.step}`);
}

/**
 * A review, CI or a person asks for more work, and the repairs of earlier rounds do not count any more. `limit` bounds the
 * rounds, so it must be another limit. Null: people start the rounds.
 */
export function withFreshRepairs(
  { task, outcome }: Pick<AdvanceParams, "task" | "outcome">,
  limit: string | null,
): Task {
  if (limit === REPAIRS || !entryOf(outcome.name).startsRound) return task;
  const { [REPAIRS]: _used, ...counters } = task.counters;
  return { ...task, counters };
}

/** The limit of every built-in pipeline for repairs of failed checks. Set with `repair_attempts`. */
const REPAIRS = "repair";

export function increment(task: Task, name: string): Task {
  return { ...task, counters: { ...task.counters, [name]: (ownNumber(task.counters, name) ?? 0) + 1 } };
}

/** Ignores inherited properties, because people may name a limit `constructor`. */
export function ownNumber(numbers: Readonly<Record<string, number>>, name: string): number | undefined {
  return Object.hasOwn(numbers, name) ? numbers[name] : undefined;
}

export function runCounts(task: Task): Task["counters"] {
  return Object.fromEntries(Object.entries(task.counters).filter(([name]) => name.startsWith("ran:")));
}

export function itemCounts(task: Task): Task["counters"] {
  const failures = ownNumber(task.counters, FAILURES_IN_A_ROW);
  return { ...runCounts(task), ...(failures !== undefined && { [FAILURES_IN_A_ROW]: failures }) };
}
