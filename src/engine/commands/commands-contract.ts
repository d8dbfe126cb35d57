import type { Actor } from "../../core/task/event.ts";
import type { ProposalReason, ReasonKind } from "../../core/nightly/proposal-reason.ts";
import type { Proposal } from "../../core/nightly/proposal.ts";
import type { ProjectRule } from "../../core/nightly/rule.ts";
import type { TaskDraft } from "../../core/task/task-draft.ts";
import type { Task } from "../../core/task/task.ts";
import type { PendingTrust, ProjectSource } from "../../ports/projects.ts";
import type { Project, Right, TokenRow } from "../../ports/store.ts";

/**
 * The one door for every decision, whoever brings it: CLI, page, API, chat. Each throws a UserError that says what was
 * found, what is allowed and what to do; each resolves only when what it did is durable.
 */
export interface Commands {
  submit(draft: TaskDraft, actor: Actor): Promise<Task>;
  approve(task: string, planHash: string | null, actor: Actor): Promise<Task>;
  reject(task: string, reason: string | null, actor: Actor): Promise<Task>;
  revise(task: string, feedback: string, actor: Actor): Promise<Task>;
  answer(task: string, answers: Readonly<Record<string, string>>, actor: Actor): Promise<Task>;
  choose(task: string, option: string, note: string | null, actor: Actor): Promise<Task>;
  pause(task: string, actor: Actor): Promise<Task>;
  resume(task: string, actor: Actor): Promise<Task>;
  cancel(task: string, actor: Actor): Promise<Task>;
  kill(task: string, actor: Actor): Promise<Task>;
  /** From the state that failed, or from `state`. */
  retry(task: string, state: string | null, actor: Actor): Promise<Task>;
  remove(task: string, actor: Actor): Promise<void>;
  /** A schedule's work, now. */
  runSchedule(schedule: ScheduleRunDraft, actor: Actor): Promise<Task>;
  /** Registers a project without trusting its files. A project that is known stays as it is. */
  addProject(source: ProjectSource, actor: Actor): Promise<ProjectWithTrust>;
  /** Accepts a project's files if they are those that `hash` names. Registers the project if needed. */
  acceptTrust(source: ProjectSource, hash: string, actor: Actor): Promise<ProjectWithTrust>;
  /** Refused while the project has unfinished tasks. */
  removeProject(name: string, actor: Actor): Promise<void>;
  addToken(draft: TokenDraft, actor: Actor): Promise<NewToken>;
  removeToken(name: string, actor: Actor): Promise<void>;
  addRule(draft: RuleDraft, actor: Actor): Promise<ProjectRule>;
  /** By id or a beginning of it. */
  editRule(rule: string, patch: RulePatch, actor: Actor): Promise<ProjectRule>;
  removeRule(rule: string, actor: Actor): Promise<ProjectRule>;
  /** Why something that was proposed is not wanted; `proposal` may be its task. */
  giveReason(proposal: string, reason: ReasonDraft, actor: Actor): Promise<Explained>;
}

export interface ProjectWithTrust {
  readonly project: Project;
  /** What a person still has to accept. */
  readonly pending: PendingTrust;
}

export interface TokenDraft {
  readonly name: string;
  readonly rights: readonly Right[];
}

export interface NewToken {
  readonly row: TokenRow;
  /** The secret, which cannot be read again. */
  readonly token: string;
}

export interface RuleDraft {
  readonly project: string;
  readonly text: string;
  /** Null: never. Left out: after the usual time. */
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

export interface Explained {
  readonly proposal: Proposal;
  readonly rule: ProjectRule;
  /** What somebody had said before, and does not count any more; null: nobody had, or the same. */
  readonly replaced: ProposalReason | null;
}

export interface ScheduleRunDraft {
  readonly project: string;
  readonly name: string;
  readonly key: string | null;
}
