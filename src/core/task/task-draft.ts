import type { Category } from "../nightly/category.ts";
import type { AgentChoice, Complexity, Priority, Size } from "./task.ts";

/** A task as requested by a person or a schedule. */
export interface TaskDraft {
  /** Empty only with `url`: the project that the URL belongs to. */
  readonly project: string;
  readonly pipeline: string;
  readonly title: string | null;
  readonly description: string;
  readonly priority: Priority;
  readonly size: Size | null;
  readonly complexity: Complexity | null;
  readonly tags: readonly string[];
  readonly agent: string | null;
  readonly model: string | null;
  readonly timeoutMs: number | null;
  /** For the roles that plan. Null: like every other run. */
  readonly planningTimeoutMs?: number | null;
  readonly budgetUsd: number | null;
  readonly autoApprove: boolean;
  /** Absolute directories that an executor may write in addition to those of its plan. */
  readonly allowDirs?: readonly string[];
  readonly design: boolean;
  /** Start the task even if the project's checks are not accepted and do not run. */
  readonly withoutChecks: boolean;
  readonly maxTurns?: number | null;
  /** Ids of the tasks that must succeed before this one starts. */
  readonly after?: readonly string[];
  /** Name of a state or role. The task stops when that step is done. */
  readonly until?: string | null;
  /** Work at the same time as other tasks whose plans name the same files. */
  readonly allowOverlap?: boolean;
  /** Work directly in the project's directory. Always true for a directory that is not a git repository. */
  readonly inPlace?: boolean;
  /** Id of a task that the agents should know about. */
  readonly related?: string | null;
  /** Number of an issue at the project's forge. Its title and text are added to the draft's. */
  readonly issue?: number | null;
  /** For pipelines that review a change request: its address at the forge. */
  readonly url?: string | null;
  /** Best of N: two or more agents that each implement the task. */
  readonly bestOf?: readonly AgentChoice[];
  /** For `improve` only. Null: the settings of the weekday apply. */
  readonly improve: ImproveDraft | null;
  /** Idempotency key: two drafts with the same key create one task. */
  readonly key: string | null;
}

interface ImproveDraft {
  readonly category: Category | null;
  /** Do not try other categories if this one yields nothing. */
  readonly only: boolean;
  /** The scheduled time, which determines the weekday; null: now. */
  readonly scheduledAt: number | null;
}
