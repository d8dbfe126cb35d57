import type { Role } from "./role.ts";

export const TASK_STATUSES = ["queued", "running", "waiting", "paused", "succeeded", "failed", "cancelled"] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const PRIORITIES = ["low", "normal", "high", "urgent"] as const;
export type Priority = (typeof PRIORITIES)[number];

export const SIZES = ["xs", "s", "m", "l", "xl"] as const;
export type Size = (typeof SIZES)[number];

export const COMPLEXITIES = ["low", "medium", "high"] as const;
export type Complexity = (typeof COMPLEXITIES)[number];

/** A piece of work on its way through a pipeline. Only `advance` and the commands change it; only the store writes it. */
export interface Task {
  readonly id: string;
  /** Raised by every write; a writer that read an older one is refused. */
  readonly version: number;
  readonly title: string;
  readonly description: string;
  readonly project: string;
  readonly pipeline: string;
  readonly pipelineHash: string;
  readonly state: string;
  readonly status: TaskStatus;
  readonly waitingFor: WaitingFor | null;
  readonly queuedFor: QueuedFor | null;
  readonly priority: Priority;
  readonly size: Size | null;
  readonly complexity: Complexity | null;
  readonly tags: readonly string[];
  readonly options: TaskOptions;
  /** Named limits used so far, and the engine's own counters (`state:outcome`). */
  readonly counters: Readonly<Record<string, number>>;
  /** The list that an `each` pipeline walks, and where it is; null for the others. */
  readonly items: Items | null;
  readonly branch: string | null;
  readonly baseCommit: string | null;
  /** The newest commit of the task's work, made by the engine from files; equals the base until there is work. */
  readonly headCommit: string | null;
  readonly plan: Readonly<Record<string, unknown>> | null;
  readonly planHash: string | null;
  /** What later runs are told about earlier ones. */
  readonly context: readonly ContextEntry[];
  readonly conversation: readonly Exchange[];
  /** What the next run is started for: the errors to repair, the answers given, the comments made. */
  readonly trigger: Trigger | null;
  /** A person wants it to end; whoever executes its run sees to that, also after a restart. */
  readonly order: "cancel" | "kill" | null;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly submittedBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
}

export interface Items {
  readonly list: readonly string[];
  readonly at: number;
  /** How many of the list were asked for; the rest are what is tried when those have nothing. */
  readonly scheduled: number;
  /** What became of those that were given up, oldest first. */
  readonly tried: readonly TriedItem[];
}

export interface TriedItem {
  readonly item: string;
  readonly outcome: string;
  readonly reason: string;
  readonly filesScanned: number | null;
}

/** What was asked for with this task, over the project's settings. */
export interface TaskOptions {
  readonly agent: string | null;
  readonly model: string | null;
  readonly timeoutMs: number | null;
  readonly budgetUsd: number | null;
  readonly autoApprove: boolean;
  readonly design: boolean;
}

export type WaitingFor =
  | { readonly kind: "approval"; readonly planHash: string | null; readonly since: number }
  | { readonly kind: "answers"; readonly questions: readonly Question[]; readonly since: number }
  | { readonly kind: "choice"; readonly reason: string; readonly options: readonly Option[]; readonly since: number }
  | { readonly kind: "review"; readonly since: number }
  | { readonly kind: "merge"; readonly since: number };

export const QUEUE_REASONS = [
  "quota",
  "login",
  "provider",
  "budget",
  "window",
  "dependency",
  "capacity",
  "backoff",
] as const;
export type QueueReason = (typeof QUEUE_REASONS)[number];

export interface QueuedFor {
  readonly kind: QueueReason;
  readonly until: number | null;
}

export interface Question {
  readonly id: string;
  readonly question: string;
  readonly context: string | null;
  readonly input: "text" | "choice" | "boolean";
  readonly options: readonly string[];
  readonly default: string | null;
  /** Milliseconds since 1970; after it the default is taken. */
  readonly deadline: number | null;
}

export interface Option {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly recommended: boolean;
}

export const CONTEXT_KINDS = [
  "plan_summary",
  "plan_revision_summary",
  "investigation_summary",
  "design_summary",
  "implementation_summary",
  "fix_summary",
  "review_approved",
  "review_feedback",
] as const;

export interface ContextEntry {
  readonly kind: (typeof CONTEXT_KINDS)[number];
  readonly text: string;
  readonly run: string;
  readonly at: number;
}

/** One turn between agent and people: what was asked or proposed, and the reply once there is one. */
export interface Exchange {
  readonly kind: "answers" | "choice";
  readonly state: string;
  /** Of the run that asked; missing in exchanges of an earlier version. */
  readonly role?: Role | null;
  readonly asked: readonly Question[] | readonly Option[];
  readonly reply: Readonly<Record<string, string>> | null;
  readonly by: string | null;
  readonly at: number;
}

/**
 * `errors`: checks failed. `verdict`: whoever verified the work turned it down. `conflict`: with what is new on the base.
 * `report`: the last one could not be used.
 */
type TriggerKind =
  | "errors"
  | "verdict"
  | "conflict"
  | "report"
  | "answers"
  | "choice"
  | "comments"
  | "retry"
  | "resume";

export interface Trigger {
  readonly kind: TriggerKind;
  readonly text: string;
  /** The run whose session may be resumed. */
  readonly run: string | null;
}

export const ENDED_STATUSES: readonly TaskStatus[] = ["succeeded", "failed", "cancelled"];

export function hasEnded(task: Pick<Task, "status">): boolean {
  return ENDED_STATUSES.includes(task.status);
}

export type ArtifactType = "branch" | "commit" | "diff" | "change_request" | "plan" | "report" | "file";

export interface Artifact {
  readonly type: ArtifactType;
  readonly label: string;
  readonly url: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}
