import type { TaskStatus } from "../../../../../src/core/task/task.ts";
import type { TaskJson } from "../../../../../src/http/client/client.ts";

/** The order of the groups: what works, what needs a person, what comes next, and then the past. */
export const GROUP_ORDER: readonly TaskStatus[] = [
  "running",
  "waiting",
  "queued",
  "paused",
  "failed",
  "succeeded",
  "cancelled",
];

export interface TaskGroup {
  readonly status: TaskStatus;
  /** As counted by the server. Null if it is not known yet. */
  readonly count: number | null;
  readonly tasks: readonly TaskJson[];
  readonly isFolded: boolean;
  readonly hasMore: boolean;
}

export type ListRow =
  | { readonly kind: "head"; readonly key: string; readonly group: TaskGroup }
  | { readonly kind: "task"; readonly key: string; readonly group: TaskGroup; readonly task: TaskJson }
  /** Stands for tasks that are not loaded yet. */
  | { readonly kind: "more"; readonly key: string; readonly group: TaskGroup };

/** All rows of the list from top to bottom. Groups without tasks are left out. */
export function listRows(groups: readonly TaskGroup[]): readonly ListRow[] {
  return groups.flatMap((group) => {
    const { status, tasks, isFolded, hasMore, count } = group;
    if (tasks.length === 0 && !hasMore && (count ?? 0) === 0) return [];
    const head: ListRow = { kind: "head", key: `head ${status}`, group };
    if (isFolded) return [head];
    const rows = tasks.map((task): ListRow => ({ kind: "task", key: task.id, group, task }));
    return [head, ...rows, ...(hasMore ? [{ kind: "more", key: `more ${status}`, group } as const] : [])];
  });
}

/** The task that a move by `step` from the current one leads to. Without a current one, the first or the last. */
export function moveCursor(rows: readonly ListRow[], current: string | null, step: 1 | -1): TaskJson | null {
  const tasks = rows.flatMap((row) => (row.kind === "task" ? [row.task] : []));
  const at = tasks.findIndex(({ id }) => id === current);
  if (at < 0) return (step === 1 ? tasks[0] : tasks.at(-1)) ?? null;
  return tasks[Math.min(tasks.length - 1, Math.max(0, at + step))] ?? null;
}

/** A task moves between pages while they are loaded. It is shown once. */
export function uniqueTasks(pages: readonly { readonly tasks: readonly TaskJson[] }[]): readonly TaskJson[] {
  return [...new Map(pages.flatMap(({ tasks }) => tasks).map((task) => [task.id, task])).values()];
}
