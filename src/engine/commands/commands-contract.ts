import type { MergeMethod } from "../../core/forge/merge.ts";
import type { NextStep } from "../../core/task/task.ts";
import type { ProposalReason, ReasonKind, Proposal } from "../../core/nightly/proposal.ts";
import type { ProjectRule } from "../../core/nightly/rule.ts";
import type { ParkedAgent } from "../../core/task/parked-agent.ts";
import type { ReviewComment } from "../../core/task/documents/review.ts";
import type { Task } from "../../core/task/task.ts";
import type { TaskDraft } from "../../core/task/task-draft.ts";
import type { AppliedChange, ApplyParams } from "../../ports/checkout.ts";
import type { PendingTrust, ProjectSource } from "../../ports/projects.ts";
import type { Right, Requester } from "../../core/task/requester.ts";
import type { Project } from "../../ports/store.ts";
import type { TokenRow } from "../../ports/store-people.ts";

/**
 * Every change that a person or agent can request, through the CLI, the web page, the API or chat. A command throws a
 * UserError if it is refused, also if the requester lacks the right, and resolves when its effect is durable.
 */
export interface Commands {
  submit(draft: TaskDraft, actor: Requester): Promise<Task>;
  approve(task: string, planHash: string | null, actor: Requester): Promise<Task>;
  /** Approves a person's own version of the plan with this hash. */
  approveEdited(task: string, edited: EditedApproval, actor: Requester): Promise<Task>;
  reject(task: string, reason: string | null, actor: Requester): Promise<Task>;
  revise(task: string, feedback: string, actor: Requester): Promise<Task>;
  answer(task: string, answers: Readonly<Record<string, string>>, actor: Requester): Promise<Task>;
  choose(task: string, choice: Choice, actor: Requester): Promise<Task>;
  /** Sends a change that waits for its review or merge back to its author, with a person's review comments. */
  comment(task: string, draft: CommentsDraft, actor: Requester): Promise<Task>;
  /** Merges the reviewed commit of a task that waits for its merge. */
  merge(task: string, draft: MergeDraft, actor: Requester): Promise<Task>;
  /** Brings the files of an ended task over to the project's checkout. */
  apply(task: string, draft: ApplyDraft, actor: Requester): Promise<AppliedChange>;
  pause(task: string, actor: Requester): Promise<Task>;
  resume(task: string, actor: Requester): Promise<Task>;
  cancel(task: string, actor: Requester): Promise<Task>;
  kill(task: string, actor: Requester): Promise<Task>;
  /** Restarts from a state, by default from the state that failed. */
  retry(task: string, draft: RetryDraft | null, actor: Requester): Promise<Task>;
  /** Continues a task that has ended or waits for its merge. Returns a new task if its change was merged already. */
  followUp(task: string, followUp: FollowUp, actor: Requester): Promise<Task>;
  /** Runs one role on a task that waits or has ended. The task stays where it is. */
  runRole(task: string, role: string, actor: Requester): Promise<Task>;
  remove(task: string, actor: Requester): Promise<void>;
  /** Runs a schedule's work now. */
  runSchedule(schedule: ScheduleRunDraft, actor: Requester): Promise<Task>;
  /** Tries a parked agent now. Fails if it is not parked. */
  retryAgent(name: string, actor: Requester): Promise<readonly ParkedAgent[]>;
  /** Registers a project without trusting its files. Does not change a registered project. */
  addProject(source: ProjectSource, actor: Requester): Promise<ProjectWithTrust>;
  /** Accepts a project's files if they match `hash`. Registers the project if needed. */
  acceptTrust(source: ProjectSource, hash: string, actor: Requester): Promise<ProjectWithTrust>;
  /** Fails while the project has unfinished tasks. */
  removeProject(name: string, actor: Requester): Promise<void>;
  /** Deletes all tasks of a project with their files, and returns their number. Fails while one is unfinished. */
  removeProjectTasks(name: string, actor: Requester): Promise<number>;
  addToken(draft: TokenDraft, actor: Requester): Promise<NewToken>;
  removeToken(name: string, actor: Requester): Promise<void>;
  addRule(draft: RuleDraft, actor: Requester): Promise<ProjectRule>;
  /** `rule` is an id or a unique prefix of one. */
  editRule(rule: string, patch: RulePatch, actor: Requester): Promise<ProjectRule>;
  removeRule(rule: string, actor: Requester): Promise<ProjectRule>;
  /** Records why a proposal is not wanted. `proposal` is the id of the proposal or of its task. */
  giveReason(proposal: string, reason: ReasonDraft, actor: Requester): Promise<ReasonResult>;
}

export interface EditedApproval {
  /** Hash of the plan that the person edited. */
  readonly planHash: string | null;
  readonly plan: Readonly<Record<string, unknown>>;
}

export interface Choice {
  readonly option: string;
  readonly note?: string | null;
  /** For a fix that an investigation proposed. By default, it is planned first. */
  readonly then?: NextStep | null;
}

/** What a retry changes. Everything else stays as it was. */
export interface RetryDraft {
  readonly from?: string | null;
  readonly agent?: string | null;
  readonly model?: string | null;
  readonly timeoutMs?: number | null;
  readonly maxTurns?: number | null;
  readonly budgetUsd?: number | null;
}

export interface MergeDraft {
  /** Null: what the project allows. */
  readonly method?: MergeMethod | null;
  /** Why it is merged. Required if the review did not approve the change. */
  readonly note?: string | null;
}

export interface CommentsDraft {
  /** The commit that the person saw, or at least its first 12 characters. */
  readonly commit: string;
  /** About the change as a whole. May be empty if there are comments. */
  readonly summary: string;
  readonly comments: readonly ReviewComment[];
  /** Identifies the request, so that a repetition has no effect. */
  readonly key?: string | null;
}

export type ApplyDraft = Pick<ApplyParams, "force" | "dryRun">;

export interface FollowUp {
  readonly text: string;
  /** Ids of tasks that must succeed first. */
  readonly after?: readonly string[];
  /** Idempotency key of a new task. */
  readonly key?: string | null;
}

export interface ProjectWithTrust {
  readonly project: Project;
  /** Changes that a person has not accepted yet. */
  readonly pending: PendingTrust;
}

export interface TokenDraft {
  readonly name: string;
  readonly rights: readonly Right[];
}

export interface NewToken {
  readonly row: TokenRow;
  /** The secret. It cannot be read again. */
  readonly token: string;
}

export interface RuleDraft {
  readonly project: string;
  readonly text: string;
  /** Null: never. Omitted: after the default time. */
  readonly expiresAt?: number | null;
}

export interface RulePatch {
  readonly text?: string;
  readonly expiresAt?: number | null;
}

export interface ReasonDraft {
  readonly kind: ReasonKind;
  readonly text: string;
}

export interface ReasonResult {
  readonly proposal: Proposal;
  readonly rule: ProjectRule;
  /** The previous reason. Null if there was none or it is unchanged. */
  readonly replaced: ProposalReason | null;
}

export interface ScheduleRunDraft {
  readonly project: string;
  readonly name: string;
  readonly key: string | null;
}
