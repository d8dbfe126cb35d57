import type { QueueReason, TaskStatus } from "../core/task/task.ts";

export interface ListTasksQuery {
  readonly status: readonly TaskStatus[] | null;
  readonly state: string | null;
  readonly project: string | null;
  readonly cursor: string | null;
  readonly limit: number;
  /** Only tasks that are queued for this reason. */
  readonly queuedFor?: QueueReason;
  /** Only tasks that wait for this choice. */
  readonly about?: "dependency";
  readonly hasPlan?: true;
  /** Only tasks whose branch was published. */
  readonly isPublished?: true;
  /** Without the variants of tasks, or only those. Missing: both. */
  readonly variants?: "hide" | "only";
  /** Filters that are read one after the other: the time grows slowly with the number of tasks. */
  readonly search?: Pick<TaskFilter, "pipeline" | "agent" | "tag" | "text">;
}

/** Null or missing: any. */
export interface TaskFilter {
  readonly status?: readonly TaskStatus[] | null;
  readonly state?: string | null;
  readonly project?: string | null;
  readonly variants?: "hide" | "only";
  readonly pipeline?: string | null;
  /** The person chose it, or one of the runs has it. */
  readonly agent?: string | null;
  readonly tag?: string | null;
  /** Part of the title or the branch, or the beginning of the id. */
  readonly text?: string | null;
}
