import type { Role } from "../task/role.ts";
import type { RunEndStatus, StepKind } from "../task/run.ts";
import type { TaskStatus } from "../task/task.ts";

/** The part of an ended run that quality figures use. */
export interface RunFacts {
  readonly task: string;
  readonly project: string;
  readonly pipeline: string;
  readonly step: StepKind;
  readonly role: Role | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly status: RunEndStatus;
  readonly outcome: string | null;
  /** Without the time in which it was paused. */
  readonly durationMs: number;
  readonly finishedAt: number;
}

/** The part of an ended task that quality figures use. */
export interface TaskFacts {
  readonly id: string;
  readonly project: string;
  readonly pipeline: string;
  readonly status: Extract<TaskStatus, "succeeded" | "failed" | "cancelled">;
  readonly finishedAt: number;
}

/** What became of a published change. */
export interface ChangeFacts {
  readonly task: string;
  readonly project: string;
  readonly pipeline: string;
  readonly state: "open" | "merged" | "closed";
  readonly publishedAt: number;
}

/** What ended, and what was published, in a period. Variants of a task are not tasks of their own. */
export interface QualityFacts {
  readonly runs: readonly RunFacts[];
  readonly tasks: readonly TaskFacts[];
  readonly changes: readonly ChangeFacts[];
}
