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
  /** For `improve`: what is asked for; null: what the settings say for the day. */
  readonly improve: ImproveDraft | null;
  /** The same key twice makes one task. */
  readonly key: string | null;
}

export interface ImproveDraft {
  readonly category: Category | null;
  /** Nothing else is tried when that one has nothing. */
  readonly only: boolean;
  /** The moment it was scheduled for, which decides the day; null: now. */
  readonly scheduledAt: number | null;
}
