import { KEEPING_ROLES } from "../task/role.ts";
import type { ChangeFacts, QualityFacts, RunFacts, TaskFacts } from "./facts.ts";

/** Dimensions by which quality figures can be grouped. */
export const QUALITY_DIMENSIONS = ["project", "pipeline", "role", "agent", "model"] as const;
export type QualityDimension = (typeof QUALITY_DIMENSIONS)[number];
export type QualityKey = Readonly<Partial<Record<QualityDimension, string | null>>>;

/** Below this number, a rate says more about chance than about the agent. */
export const MIN_RUNS_FOR_RATES = 20;

export interface Quality {
  readonly key: QualityKey;
  readonly runs: RunCounts;
  /** Median of the runs that succeeded or failed. Null if there are none. */
  readonly medianMs: number | null;
  /** Number of roles of tasks that these runs worked in. More runs than that are repeated attempts. */
  readonly steps: number;
  readonly tasks: TaskCounts;
  /** Tasks whose work was checked, and those of them that failed a check at least once. */
  readonly checks: { readonly tasks: number; readonly repaired: number };
  readonly changes: ChangeCounts;
}

export interface RunCounts {
  readonly ended: number;
  readonly succeeded: number;
  /** Includes timeouts. */
  readonly failed: number;
  readonly cancelled: number;
  /** Ended because of the machine or the daemon, not because of the agent. */
  readonly interrupted: number;
}

export interface TaskCounts {
  readonly ended: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
}

export interface ChangeCounts {
  readonly published: number;
  readonly merged: number;
  readonly closed: number;
  readonly open: number;
}

/**
 * Figures for each group, sorted by its key. A task, its checks and its change count for the run that last changed the work,
 * because that agent wrote it. An empty `by` returns one group with everything.
 */
export function measureQuality(facts: QualityFacts, by: readonly QualityDimension[]): readonly Quality[] {
  const agentRuns = facts.runs.filter(({ step }) => step === "agent");
  const authors = findAuthors(agentRuns);
  const keyOf = (fields: Readonly<Record<QualityDimension, string | null>>): string =>
    JSON.stringify(by.map((dimension) => fields[dimension]));
  const keyOfTask = (id: string, { project, pipeline }: Pick<TaskFacts, "project" | "pipeline">): string => {
    const { role = null, agent = null, model = null } = authors.get(id) ?? {};
    return keyOf({ project, pipeline, role, agent, model });
  };
  const runs = Map.groupBy(agentRuns, keyOf);
  const tasks = Map.groupBy(facts.tasks, (task) => keyOfTask(task.id, task));
  const changes = Map.groupBy(facts.changes, (change) => keyOfTask(change.task, change));
  const checked = Map.groupBy(
    facts.runs.filter(({ step }) => step === "checks"),
    (run) => keyOfTask(run.task, run),
  );
  const keys = new Set([...runs.keys(), ...tasks.keys(), ...changes.keys(), ...checked.keys()]);
  if (by.length === 0) keys.add("[]");
  return [...keys].toSorted().map((key) => ({
    key: toKey(by, key),
    ...measureRuns(runs.get(key) ?? []),
    tasks: countTasks(tasks.get(key) ?? []),
    checks: countChecked(checked.get(key) ?? []),
    changes: countChanges(changes.get(key) ?? []),
  }));
}

/** For each task, the last of its runs that changed the work, or else its last run. */
function findAuthors(runs: readonly RunFacts[]): ReadonlyMap<string, RunFacts> {
  const authors = new Map<string, RunFacts>();
  for (const run of runs.toSorted((a, b) => a.finishedAt - b.finishedAt)) {
    const known = authors.get(run.task);
    if (known === undefined || isWriting(run) || !isWriting(known)) authors.set(run.task, run);
  }
  return authors;
}

function isWriting({ role }: RunFacts): boolean {
  return role !== null && KEEPING_ROLES.includes(role);
}

function toKey(by: readonly QualityDimension[], key: string): QualityKey {
  const values = JSON.parse(key) as readonly (string | null)[];
  return Object.fromEntries(by.map((dimension, place) => [dimension, values[place] ?? null]));
}

function measureRuns(runs: readonly RunFacts[]): Pick<Quality, "runs" | "medianMs" | "steps"> {
  const count = (...statuses: readonly RunFacts["status"][]): number =>
    runs.filter(({ status }) => statuses.includes(status)).length;
  const judged = runs.filter(({ status }) => status !== "cancelled" && status !== "interrupted");
  return {
    runs: {
      ended: runs.length,
      succeeded: count("succeeded"),
      failed: count("failed", "timeout"),
      cancelled: count("cancelled"),
      interrupted: count("interrupted"),
    },
    medianMs: median(judged.map(({ durationMs }) => durationMs)),
    steps: new Set(judged.map(({ task, role }) => `${task} ${role}`)).size,
  };
}

export function countTasks(tasks: readonly Pick<TaskFacts, "status">[]): TaskCounts {
  const count = (wanted: TaskFacts["status"]): number => tasks.filter(({ status }) => status === wanted).length;
  return {
    ended: tasks.length,
    succeeded: count("succeeded"),
    failed: count("failed"),
    cancelled: count("cancelled"),
  };
}

export function countChanges(changes: readonly Pick<ChangeFacts, "state">[]): ChangeCounts {
  const count = (wanted: ChangeFacts["state"]): number => changes.filter(({ state }) => state === wanted).length;
  return { published: changes.length, merged: count("merged"), closed: count("closed"), open: count("open") };
}

function countChecked(runs: readonly RunFacts[]): Quality["checks"] {
  const decided = runs.filter(({ outcome }) => outcome !== null);
  const failed = decided.filter(({ outcome }) => outcome === "checks_failed" || outcome === "policy_failed");
  return { tasks: tasksOf(decided), repaired: tasksOf(failed) };
}

function tasksOf(runs: readonly RunFacts[]): number {
  return new Set(runs.map(({ task }) => task)).size;
}

export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [below, above] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return below === undefined || above === undefined ? null : (below + above) / 2;
}

/** A part of a whole from 0 to 1. Null if the whole is too small for a rate. */
export function rate(part: number, whole: number): number | null {
  return whole < MIN_RUNS_FOR_RATES ? null : part / whole;
}
