import type { TaskStatus } from "../../../../src/core/task/task.ts";
import { useApi } from "../../api/queries.ts";
import { type TaskFilter, toQuery } from "./filter.ts";

export interface TaskCounts {
  /** Null while loading. */
  readonly counts: Readonly<Record<TaskStatus, number>> | null;
  readonly error: Error | null;
}

/** How many tasks of each status match the filter, as the server counts them. */
export function useTaskCounts(filter: TaskFilter, state: string | null = null): TaskCounts {
  const { data, error } = useApi(
    "GET /task-counts",
    { query: { ...toQuery(filter), ...(state !== null && { state }) } },
    { keepPrevious: true },
  );
  return { counts: data?.counts ?? null, error };
}
