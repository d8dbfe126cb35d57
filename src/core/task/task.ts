import type { Role } from "./role.ts";
import type { ContextEntry } from "./documents/context-entry.ts";
import type { DocumentKind, DocumentRef } from "./documents/document.ts";

export const TASK_STATUSES = ["queued", "running", "waiting", "paused", "succeeded", "failed", "cancelled"] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const PRIORITIES = ["low", "normal", "high", "urgent"] as const;
export type Priority = (typeof PRIORITIES)[number];

export const SIZES = ["xs", "s", "m", "l", "xl"] as const;
export type Size = (typeof SIZES)[number];

export const COMPLEXITIES = ["low", "medium", "high"] as const;
export type Complexity = (typeof COMPLEXITIES)[number];

/** What happens after a fix was chosen: plan it first, or implement it directly. */
export const NEXT_STEPS = ["plan", "implement"] as const;
export type NextStep = (typeof NEXT_STEPS)[number];

/** A piece of work on its way through a pipeline. Only `advance` and the commands change it; only the store writes it. */
export interface Task {
  readonly id: string;
  /** Increases with every write. A write based on an older version is rejected. */
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
  /** Uses of named limits, and the engine's own counters (`state:outcome`). */
  readonly counters: Readonly<Record<string, number>>;
  /** The list of an `each` pipeline and the current position; null for other pipelines. */
  readonly items: Items | null;
  readonly branch: string | null;
  readonly baseCommit: string | null;
  /** The newest commit of the task's work, created by the engine. Equals the base commit until there is work. */
  readonly headCommit: string | null;
  /** The task's branch on the remote. Null until it is published; missing in tasks stored by an earlier version. */
  readonly published?: PublishedBranch | null;
  readonly plan: Readonly<Record<string, unknown>> | null;
  readonly planHash: string | null;
  /** Every version of the plan, the design and the investigation report, oldest first. */
  readonly documents: readonly DocumentRef[];
  /** The steps of the newest plan or report, and which of them the agents reported as done. */
  readonly subtasks: readonly Subtask[];
  /** States that a person's decision moved the task to. A retry may enter them again without a new decision. */
  readonly approvedStates: readonly ApprovedState[];
  /** Summaries of earlier runs for the prompts of later ones. */
  readonly context: readonly ContextEntry[];
  readonly conversation: readonly Exchange[];
  /** Why the next run is started: errors to fix, answers, or review comments. */
  readonly trigger: Trigger | null;
  /** A person's request to stop the task. The worker of its run carries it out, also after a restart. */
  readonly order: "cancel" | "kill" | null;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly submittedBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
}

/** What is known about the task's branch on the remote, and what the task already reacted to at the forge. */
export interface PublishedBranch {
  /** The newest commit of the remote branch that the task's work contains. A push replaces only this commit. */
  readonly head: string;
  /** The branch that the change is to be merged into. */
  readonly base: string;
  /** The newest commit of people on the branch. Later commits are put on top of it. Null if the task made all of them. */
  readonly people: string | null;
  /** A person's decision about a branch that was rewritten to this commit. */
  readonly decision?: { readonly commit: string; readonly choice: "take_over" | "restore" } | null;
  readonly seen: SeenAtForge;
}

/** What the task reacted to, so that a restart does not make it react again. */
export interface SeenAtForge {
  /** Ids of comments. */
  readonly comments: readonly string[];
  /** The newest commit whose CI failed. */
  readonly ci: string | null;
  /** The commit that had a conflict with the base. */
  readonly conflict: string | null;
}

export const NOTHING_SEEN: SeenAtForge = { comments: [], ci: null, conflict: null };

export interface Items {
  readonly list: readonly string[];
  readonly at: number;
  /** Number of scheduled items at the start of the list; the others are fallbacks. */
  readonly scheduled: number;
  /** Results of the items that were given up, oldest first. */
  readonly tried: readonly TriedItem[];
}

export interface TriedItem {
  readonly item: string;
  readonly outcome: string;
  readonly reason: string;
  readonly filesScanned: number | null;
}

export interface Subtask {
  readonly title: string;
  readonly done: boolean;
}

export interface ApprovedState {
  readonly state: string;
  /** Hash of the newest document at that time, which the decision applies to. Null if there was none. */
  readonly planHash: string | null;
}

/** Options of this task that override the project's settings. */
export interface TaskOptions {
  readonly agent: string | null;
  readonly model: string | null;
  readonly timeoutMs: number | null;
  /** For the roles that plan, instead of `timeoutMs`. */
  readonly planningTimeoutMs?: number;
  readonly budgetUsd: number | null;
  /** Missing: the limit of the role. */
  readonly maxTurns?: number;
  readonly autoApprove: boolean;
  /** Absolute directories that an executor may write in addition to those of its plan. */
  readonly allowDirs?: readonly string[];
  readonly design: boolean;
  /**
   * Names of the project's checks that do not run as written, because they are not accepted and the task was submitted anyway.
   * Missing in tasks stored by an earlier version.
   */
  readonly unchecked?: readonly string[];
  /** Ids of the tasks that must succeed before this one starts. */
  readonly after?: readonly string[];
  /** The task stops after this state. It did so if it is `reached`. */
  readonly until?: { readonly state: string; readonly reached: boolean };
  /** The task may work at the same time as others whose plans name the same files. */
  readonly allowOverlap?: boolean;
  /** Agents work directly in the project's directory. */
  readonly inPlace?: boolean;
  /** Id of a task that the agents should know about. */
  readonly related?: string;
  /** The issue that the task was made from. */
  readonly issue?: TaskIssue;
  /** The change request that the task reviews. It belongs to someone else, so the task never changes, merges or closes it. */
  readonly request?: ReviewedRequest;
  /** Best of N: the agents that each implement the task. Missing for most tasks. */
  readonly bestOf?: readonly AgentChoice[];
  /** Does the work of the roles that change files. Set in a variant, and in its task once a variant was chosen. */
  readonly implementer?: Implementer;
  /** The task is a variant: one of several implementations of another task. */
  readonly variantOf?: VariantOf;
}

/** An agent, and the model it uses. Null: the model from the settings. */
export interface AgentChoice {
  readonly agent: string;
  readonly model: string | null;
}

export interface Implementer extends AgentChoice {
  /** Id of the chosen variant. Missing in the variant itself. */
  readonly variant?: string;
}

/** As the forge described it when the task was submitted. */
export interface ReviewedRequest {
  readonly number: number;
  readonly url: string;
  readonly author: string;
  /** The branch to merge into. */
  readonly base: string;
}

export interface VariantOf {
  readonly task: string;
  /** From 1, in the order in which the agents were named. */
  readonly number: number;
}

export interface TaskIssue {
  readonly number: number;
  readonly url: string;
}

/**
 * What a choice is about. `checks`: whether to publish a change that the checks do not vouch for. `findings`: whether to allow
 * what the agent kept after a warning. `dependency`: whether to start although a task that it waits for did not succeed.
 * `branch`: what to do about a branch that a person rewrote. `fix`: how to fix a bug.
 */
export const CHOICE_SUBJECTS = ["checks", "findings", "dependency", "branch", "fix"] as const;

export type WaitingFor =
  | {
      readonly kind: "approval";
      /** Hash of the document to approve. */
      readonly planHash: string | null;
      /** Missing in tasks stored by an earlier version, where it always is the plan. */
      readonly document?: Pick<DocumentRef, "kind" | "version"> | null;
      readonly since: number;
    }
  | { readonly kind: "answers"; readonly questions: readonly Question[]; readonly since: number }
  | {
      readonly kind: "choice";
      readonly reason: string;
      readonly options: readonly Option[];
      readonly since: number;
      /** Missing for all other choices. */
      readonly about?: (typeof CHOICE_SUBJECTS)[number];
    }
  | { readonly kind: "review"; readonly since: number }
  | {
      readonly kind: "merge";
      readonly since: number;
      /** Why a person is needed: the engine could not merge it (`gates.merge: auto`), or a limit of reactions to the forge is used up. */
      readonly problem?: MergeProblem;
    };

export interface MergeProblem {
  readonly reason: string;
  /** How often the merge was refused. */
  readonly tries: number;
  /** Null if the engine does not try again, so that a person must decide. */
  readonly retryAt: number | null;
}

export const QUEUE_REASONS = [
  "quota",
  "login",
  "program",
  "provider",
  "remote",
  "machine",
  "budget",
  "window",
  "dependency",
  "variants",
  "capacity",
  "backoff",
] as const;
export type QueueReason = (typeof QUEUE_REASONS)[number];

export interface QueuedFor {
  readonly kind: QueueReason;
  readonly until: number | null;
  /** Why, in a sentence; missing in rows of earlier versions and if a limit of Nightshift is the reason. */
  readonly reason?: string;
  /** The parked agent that the task waits for. Missing if it waits for something else. */
  readonly agent?: string;
  /** The task that works on the same files. Missing if it waits for something else. */
  readonly overlap?: Overlap;
}

/** A task whose plan names some of the same files. */
export interface Overlap {
  readonly task: string;
  readonly files: readonly string[];
}

export interface Question {
  readonly id: string;
  readonly question: string;
  readonly context: string | null;
  readonly input: "text" | "choice" | "boolean";
  readonly options: readonly string[];
  readonly default: string | null;
  /** Milliseconds since 1970. After this time the default answer is used. */
  readonly deadline: number | null;
}

export interface Option {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly recommended: boolean;
}

/** An agent's questions or options, and a person's reply once there is one. */
export interface Exchange {
  readonly kind: "answers" | "choice";
  readonly state: string;
  /** The role of the run that asked; missing in exchanges stored by an earlier version. */
  readonly role?: Role | null;
  readonly asked: readonly Question[] | readonly Option[];
  readonly reply: Readonly<Record<string, string>> | null;
  readonly by: string | null;
  readonly at: number;
  /** Ids of the questions whose default was taken at the deadline, until a person keeps or changes the answer. */
  readonly assumed?: readonly string[];
  /** The task's commits when it asked, so that a changed answer can start again from there. */
  readonly work?: { readonly baseCommit: string | null; readonly headCommit: string | null };
  /** For a decision about unverified work: the commit, and why the checks do not vouch for it. */
  readonly about?: { readonly commit: string; readonly reason: string };
}

/**
 * `errors`: checks failed. `verdict`: the verification rejected the work. `conflict`: the work conflicts with new commits on
 * the base branch. `report`: the last report was invalid. `follow_up`: a person asks for more after the task was done. `single`: a
 * person asks for one run of a role.
 */
type TriggerKind =
  | "errors"
  | "verdict"
  | "conflict"
  | "report"
  | "answers"
  | "choice"
  | "comments"
  | "follow_up"
  | "single"
  | "retry"
  | "resume";

export interface Trigger {
  readonly kind: TriggerKind;
  readonly text: string;
  /** The run whose session may be resumed. */
  readonly run: string | null;
  /** For a single run: where the task returns to. */
  readonly position?: TaskPosition;
}

/** Where a task was before a single run. */
export type TaskPosition = Pick<Task, "status" | "waitingFor" | "outcome" | "reason" | "finishedAt" | "trigger">;

export const ENDED_STATUSES: readonly TaskStatus[] = ["succeeded", "failed", "cancelled"];
export const OPEN_STATUSES: readonly TaskStatus[] = TASK_STATUSES.filter((status) => !ENDED_STATUSES.includes(status));

export function hasEnded(task: Pick<Task, "status">): boolean {
  return ENDED_STATUSES.includes(task.status);
}

/** The change request of a task, as the forge last reported it. */
export interface TaskChangeRequest {
  readonly number: number;
  readonly url: string;
  readonly state: "open" | "merged" | "closed";
  /** When Nightshift saw that it was merged or closed. */
  readonly endedAt: number | null;
}

export type ArtifactType = "branch" | "commit" | "diff" | "change_request" | DocumentKind | "file";

export interface Artifact {
  readonly type: ArtifactType;
  readonly label: string;
  readonly url: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}
