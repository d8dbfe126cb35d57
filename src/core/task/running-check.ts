import type { EventType } from "./event.ts";

/**
 * The files that a check runs on. `change_with_base_files`: with the base commit's tests, or its files that define the checks.
 * `base_with_tests`: the base commit with the tests of the change.
 */
export const CHECK_PLACES = ["change", "base", "change_with_base_files", "base_with_tests"] as const;
export type CheckPlace = (typeof CHECK_PLACES)[number];

const PLACES: Readonly<Record<CheckPlace, string>> = {
  change: "",
  base: " on the base commit",
  change_with_base_files: " with files of the base commit",
  base_with_tests: " on the base commit with the new tests",
};

/** Such as `test` or `test on the base commit`. */
export function describeCheckPlace(name: string, place: CheckPlace): string {
  return `${name}${PLACES[place]}`;
}

/** A check that runs now, from its event. */
export interface RunningCheck {
  /** With the place it runs on. */
  readonly name: string;
  readonly since: string;
  /** Path of its log in the directory of all runs. Null if it is not known. */
  readonly log: string | null;
}

interface EventSummary {
  readonly type: string;
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const ENDS: readonly string[] = [
  "check.ended",
  "run.started",
  "run.ended",
  "run.interrupted",
  "task.state",
  "task.ended",
] satisfies EventType[];

/** Finds the check that a task runs now in its events. Checks run one after the other. */
export function findRunningCheck(events: readonly EventSummary[]): RunningCheck | null {
  return events.reduce<RunningCheck | null>(updateRunningCheck, null);
}

/** The check that runs after the event. */
export function updateRunningCheck(before: RunningCheck | null, { type, at, data }: EventSummary): RunningCheck | null {
  if (type !== "check.started") return ENDS.includes(type) ? null : before;
  const { name, on, log } = data;
  return {
    name: describeCheckPlace(typeof name === "string" ? name : "", isPlace(on) ? on : "change"),
    since: at,
    log: typeof log === "string" ? log : null,
  };
}

function isPlace(value: unknown): value is CheckPlace {
  return typeof value === "string" && value in PLACES;
}
