import type { TaskStatus } from "../../../../src/core/task/task.ts";
import { useApi } from "../../api/queries.ts";
import type { TaskFilter } from "./filter.ts";

export interface TaskCounts {
  /** Null while loading. */
  readonly counts: Readonly<Record<TaskStatus, number>> | null;
  readonly error: Error | null;
}

/** How many tasks there are of each status, as the server counts them. */
export function useTaskCounts(_filter: TaskFilter): TaskCounts {
  const { data, error } = useApi("GET /status");
  return { counts: data?.tasks ?? null, error };
}
