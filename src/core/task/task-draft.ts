import type { Category } from "../nightly/category.ts";
import type { Complexity, Priority, Size } from "./task.ts";

/** A task as requested by a person or a schedule. */
export interface TaskDraft {
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
  readonly budgetUsd: number | null;
  readonly autoApprove: boolean;
  readonly design: boolean;
  /** For `improve` only. Null: the settings of the weekday apply. */
  readonly improve: ImproveDraft | null;
  /** Idempotency key: two drafts with the same key create one task. */
  readonly key: string | null;
}

export interface ImproveDraft {
  readonly category: Category | null;
  /** Do not try other categories if this one yields nothing. */
  readonly only: boolean;
  /** The scheduled time, which determines the weekday; null: now. */
  readonly scheduledAt: number | null;
}
