import type { DocumentKind, TaskDocument } from "../core/task/documents/document.ts";
import type { Event, EventDraft, EventType } from "../core/task/event.ts";
import type {
  CheckResult,
  Exit,
  EndedBy,
  Run,
  RunEndStatus,
  RunStatus,
  StepKind,
  Tokens,
  CostBasis,
} from "../core/task/run.ts";
import type { BaselineResult } from "../core/task/checks/judge-check.ts";
import type { NoticeData } from "../core/notices/notice.ts";
import type { Proposal, ProposalStatus } from "../core/nightly/proposal.ts";
import type { RecordedGrants } from "../core/task/run-grants.ts";
import type { Role } from "../core/task/role.ts";
import type { ScheduleProgress } from "../core/schedule/schedule.ts";
import type { ProjectRule } from "../core/nightly/rule.ts";
import type { ProjectRemoval } from "./projects.ts";
import type { Artifact, Task, TaskChangeRequest, TaskStatus, Trigger } from "../core/task/task.ts";
import type { AgentStore, ParkingChange } from "./store-agents.ts";
import type { MoneyStore } from "./store-money.ts";
import type { PeopleStore } from "./store-people.ts";
import type { ListTasksQuery, TaskFilter } from "./store-task-queries.ts";
import type { QualityStore } from "./store-quality.ts";

/**
 * The source of truth. Every method is one transaction; once it resolves, its writes survive a power failure.
 * Times are milliseconds, ids are text, and JSON is stored as text, so that the same SQL works for SQLite and PostgreSQL.
 */
export interface Store {
  readonly tasks: TaskStore;
  readonly events: EventStore;
  readonly outbox: OutboxStore;
  readonly schedules: ScheduleStore;
  readonly ledger: LedgerStore;
  readonly projects: ProjectStore;
  readonly agents: AgentStore;
  readonly people: PeopleStore;
  readonly money: MoneyStore;
  readonly quality: QualityStore;

  /** Returns one message per problem. Empty if the database is intact. */
  checkIntegrity(): Promise<readonly string[]>;
  /** Writes a complete, consistent copy of the database to a file that does not exist yet. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

/** Tasks and their runs, checks and artifacts. */
export interface TaskStore {
  /** Writes a new task with its first run and events, and admits queued runs. A repeated key returns the existing task. */
  createTask(params: CreateTaskParams): Promise<CommitResult>;

  /**
   * Writes one complete step of a task: end of the run, task row, events, checks, artifacts, notices, the next run, admission.
   * Throws a LeaseLostError if the run has a newer lease, a StaleTaskError if the task's version is not `expectedVersion`, and
   * a UserError if an ended task would continue without its project; nothing is written then. The stored version is
   * `expectedVersion + 1`, regardless of `task.version`.
   */
  commit(params: CommitParams): Promise<CommitResult>;

  /**
   * Admits queued runs by priority and age, as far as limits and start times allow. Returns their ids. A run with a creation
   * time in the future was created while the clock was wrong, so it does not wait for that time unless it is held. Of a parked
   * agent's runs, the first one is admitted as a probe when the time has come, and no other before the probe has ended.
   */
  admit(admission: Admission): Promise<readonly string[]>;

  /** Takes an open run (starting, running or paused): increments its token, sets it to running, and sets `startedAt` the first time. Null if it has ended or is queued. */
  takeRun(runId: string, at: number): Promise<Run | null>;

  /** Updates a run. Throws a LeaseLostError if there is a newer lease or the run has ended. */
  updateRun(lease: Lease, patch: RunPatch): Promise<void>;

  /** True while this lease may still write. */
  holdsLease(lease: Lease): Promise<boolean>;

  getTask(id: string): Promise<Task | null>;
  /** Returns the task that `createTask` created with this key. */
  getTaskByKey(key: string): Promise<Task | null>;
  /** Returns at most ten ids that start with `prefix` (with or without `task_`). */
  findTaskIds(prefix: string): Promise<readonly string[]>;
  /** Returns for each existing id the prefix that people see; see `shortenId`. */
  shortenIds(kind: "task" | "run", ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Newest first. */
  listTasks(query: ListTasksQuery): Promise<Page<Task>>;
  /** Returns the tasks that ended in this period, oldest first. `until` is exclusive. */
  listEndedTaskIds(since: number, until: number): Promise<readonly string[]>;
  getRun(id: string): Promise<Run | null>;
  findRunIds(prefix: string): Promise<readonly string[]>;
  /** Returns the newest `limit` runs, oldest first. */
  listRuns(query: ListRunsQuery): Promise<readonly Run[]>;
  /** Returns the runs that ended in this period, oldest first. `until` is exclusive. */
  listEndedRuns(period: Period): Promise<readonly Run[]>;
  /** Returns all runs that are admitted and have not ended. */
  listOpenRuns(): Promise<readonly Run[]>;
  listChecks(taskId: string): Promise<readonly CheckResult[]>;
  listArtifacts(taskId: string): Promise<readonly Artifact[]>;
  /** Version null returns the newest one. Null if there is none. */
  getDocument(taskId: string, kind: DocumentKind, version: number | null): Promise<TaskDocument | null>;
  /** Returns the ids of tasks whose questions have passed their deadline. */
  listOverdue(at: number, limit: number): Promise<readonly string[]>;
  /** Returns the latest change request of each of these tasks that has one. */
  listChangeRequests(taskIds: readonly string[]): Promise<ReadonlyMap<string, TaskChangeRequest>>;
  /** Removes an ended task with its runs, checks, artifacts and documents. Its events and costs are kept. */
  deleteTask(id: string, event: EventDraft): Promise<void>;
  countTasks(): Promise<Readonly<Record<TaskStatus, number>>>;
  /** Counts the tasks that match, by status. The time grows slowly with the number of tasks. */
  countMatching(filter: TaskFilter): Promise<Readonly<Record<TaskStatus, number>>>;
}

/** The append-only log of what happened. */
export interface EventStore {
  appendEvents(events: readonly EventDraft[]): Promise<readonly Event[]>;
  /** Writes events and the notices about them in one transaction. */
  appendWithNotices(record: {
    readonly events: readonly EventDraft[];
    readonly notices: readonly NewNotice[];
  }): Promise<void>;
  /** Returns events with an id greater than `after`, oldest first. */
  listEvents(query: ListEventsQuery): Promise<readonly Event[]>;
  /** Returns the events of these types in this period, oldest first. `until` is exclusive. */
  listEventsIn(period: Period, types: readonly EventType[]): Promise<readonly Event[]>;
  /** Returns what people and the system decided about tasks (`task.decided`), newest first. */
  listDecisions(query: ListDecisionsQuery): Promise<Page<Event>>;
  lastEventId(): Promise<number>;
  /** Calls the listener after each commit of this process that wrote events, with those events in order. Returns a function to unsubscribe. */
  onEvents(listener: (events: readonly Event[]) => void): () => void;
}

/** Notices that were committed with a step and are not delivered yet. */
export interface OutboxStore {
  /**
   * Returns the next due notice of each channel of each project, oldest first. Later notices of a channel wait until it was
   * delivered, given up or dropped, so that people receive them in order.
   */
  dueNotices(at: number, limit: number): Promise<readonly Notice[]>;
  /** The newest notices of a task, oldest first, also those that were delivered, given up or dropped. */
  listTaskNotices(task: string): Promise<readonly TaskNotice[]>;
  /** Why the newest notice of this channel for one of these projects did not arrive. Null if it did, or if there is none. */
  findFailure(channel: string, projects: readonly string[]): Promise<string | null>;
  markDelivered(noticeId: number, at: number): Promise<void>;
  /** `nextAt` null means that delivery was given up. */
  markUndelivered(noticeId: number, error: string, nextAt: number | null): Promise<void>;
  /** Removes a notice that is no longer wanted. Does not count as an attempt. */
  dropNotice(noticeId: number, why: string): Promise<void>;
}

/** How far each schedule was processed. */
export interface ScheduleStore {
  listProgress(project: string): Promise<readonly ScheduleProgress[]>;
  /** Advances the mark and writes the events and notices about it in one transaction. */
  saveProgress(
    mark: ScheduleProgress,
    told: { readonly events: readonly EventDraft[]; readonly notices: readonly NewNotice[] },
  ): Promise<void>;
  /** Removes the mark of a deleted schedule, so that a schedule with the same name starts fresh. */
  dropProgress(mark: Pick<ScheduleProgress, "project" | "name">): Promise<void>;
}

/** Proposals of the nightly improvement, and the rules learned from rejections. */
export interface LedgerStore {
  /** Inserts or replaces proposals by id. They outlive their tasks. */
  saveProposals(proposals: readonly Proposal[]): Promise<void>;
  /** Newest first. */
  listProposals(query: ListProposalsQuery): Promise<readonly Proposal[]>;
  /** Returns the updated proposal, or null if it does not exist. */
  updateProposal(id: string, patch: ProposalPatch): Promise<Proposal | null>;

  /** Inserts or replaces a rule by id. */
  saveRule(rule: ProjectRule, event: EventDraft): Promise<void>;
  /** Oldest first. */
  listRules(query: ListRulesQuery): Promise<readonly ProjectRule[]>;
  /** Returns false and writes no event if the rule does not exist. */
  removeRule(id: string, event: EventDraft): Promise<boolean>;
}

/** Registered projects and the pipeline versions that their tasks started with. */
export interface ProjectStore {
  /** Stores the text of a pipeline under its hash, so that a task can always find the version it started with. */
  keepPipeline(hash: string, name: string, text: string): Promise<void>;
  getPipeline(hash: string): Promise<{ readonly name: string; readonly text: string } | null>;

  /** Keeps the result of a check on a base commit. `key` identifies the commit, the command and what else decides the result. */
  keepBaseline(key: string, project: string, result: BaselineResult): Promise<void>;
  /** Null if it was not kept, or more than a month ago. */
  getBaseline(key: string, at: number): Promise<BaselineResult | null>;

  saveProject(project: Project, event: EventDraft): Promise<void>;
  getProject(name: string): Promise<Project | null>;
  listProjects(): Promise<readonly Project[]>;
  /** Removes a project with its schedule marks. No change, and no event, if it is unknown or has a task that has not ended. */
  removeProject(name: string, event: EventDraft): Promise<ProjectRemoval>;
}

export interface Lease {
  readonly run: string;
  readonly token: number;
}

export interface NewRun {
  readonly id: string;
  readonly task: string;
  readonly project: string;
  readonly state: string;
  readonly step: StepKind;
  readonly role: Role | null;
  readonly attempt: number;
  readonly agent: string | null;
  readonly account: string | null;
  readonly notBefore: number | null;
  readonly trigger: Trigger | null;
  readonly createdAt: number;
}

export interface RunEnd {
  readonly id: string;
  readonly status: RunEndStatus;
  readonly outcome: string | null;
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly exit: Exit | null;
  readonly endedBy: EndedBy | null;
  readonly error: string | null;
  readonly commit: string | null;
  readonly costUsd: number | null;
  readonly costBasis: CostBasis;
  readonly tokens: Tokens;
  readonly pausedMs: number;
  readonly finishedAt: number;
  /** Set if it was not known before the end. */
  readonly sandbox?: string;
}

export interface RunPatch {
  /** For a publish run: whether the engine or an agent publishes. */
  readonly step?: StepKind;
  readonly role?: Role | null;
  readonly status?: Extract<RunStatus, "running" | "paused">;
  readonly agent?: string;
  readonly account?: string;
  readonly agentVersion?: string | null;
  readonly model?: string | null;
  readonly sandbox?: string;
  readonly sessionId?: string | null;
  readonly granted?: RecordedGrants;
}

/** Concurrency limits. A run counts against all three. */
export interface Admission {
  readonly at: number;
  readonly total: number;
  /** Limit per project. Other projects have `perProject`. */
  readonly projects: Readonly<Record<string, number>>;
  readonly perProject: number;
}

export interface CreateTaskParams {
  readonly task: Task;
  readonly run: NewRun | null;
  readonly events: readonly EventDraft[];
  readonly notices: readonly NewNotice[];
  readonly key: string | null;
  readonly admission: Admission;
  readonly requireProject?: boolean; // Throw a UserError if the project is not registered, even if it was removed just now.
}

export interface CommitParams {
  readonly task: Task;
  readonly expectedVersion: number;
  /** Null for a person's decision, which is protected by the version only. */
  readonly lease: Lease | null;
  readonly endRun: RunEnd | null;
  /** Ends all other open runs of the task (cancel, kill). */
  readonly endOthers: { readonly status: RunEndStatus; readonly at: number } | null;
  readonly newRun: NewRun | null;
  /** Clears `notBefore` of the task's queued runs. If their agent is parked, a probe is due. */
  readonly wake?: boolean;
  /** New account of the task's queued runs. */
  readonly account?: string | null;
  readonly parking?: ParkingChange | null;
  readonly events: readonly EventDraft[];
  readonly checks: readonly CheckResult[];
  readonly artifacts: readonly Artifact[];
  readonly removedArtifacts?: readonly Pick<Artifact, "type" | "label">[];
  readonly document?: TaskDocument | null;
  readonly notices: readonly NewNotice[];
  readonly admission: Admission;
}

export interface CommitResult {
  readonly task: Task;
  /** Runs of any task that were admitted and may start now. */
  readonly admitted: readonly string[];
  /** Runs that `endOthers` ended. Their executors must stop. */
  readonly ended: readonly string[];
  readonly events: readonly Event[];
}

export interface ListRunsQuery {
  readonly task: string | null;
  readonly status: readonly RunStatus[] | null;
  readonly project: string | null;
  readonly limit: number;
}

/** `until` is exclusive. */
export interface Period {
  readonly since: number;
  readonly until: number;
}

export interface ListDecisionsQuery {
  /** Null: of all tasks. */
  readonly task: string | null;
  readonly cursor: string | null;
  readonly limit: number;
}

export interface ListEventsQuery {
  readonly after: number;
  readonly task: string | null;
  readonly limit: number;
}

export interface Page<T> {
  readonly rows: readonly T[];
  readonly next: string | null;
}

export type NoticeKind = "finished" | "failed" | "waiting" | "report";

export interface NewNotice {
  readonly channel: string;
  readonly kind: NoticeKind;
  readonly project: string;
  /** Null if the notice is not about a task. */
  readonly task: string | null;
  readonly title: string;
  readonly text: string;
  readonly data: NoticeData;
  readonly at: number;
}

/** What became of a notice. */
export interface TaskNotice extends Pick<NewNotice, "channel" | "kind" | "title" | "at"> {
  readonly deliveredAt: number | null;
  /** The next attempt. Null if it was delivered, given up or dropped. */
  readonly nextAt: number | null;
  /** Why the last attempt failed, or why it was dropped. */
  readonly error: string | null;
}

export interface Notice extends NewNotice {
  readonly id: number;
  readonly attempts: number;
}

export interface Project {
  readonly name: string;
  /** The user's checkout. Null for a project known only by its URL. */
  readonly path: string | null;
  /** The remote to fetch from and push to. If the checkout has no remote, the checkout itself. */
  readonly remote: string;
  readonly defaultBranch: string;
  /** The additional permissions in the project's files that a person accepted, as canonical JSON. */
  readonly accepted: string;
  readonly acceptedBy: string;
  readonly acceptedAt: number;
}

export interface ListProposalsQuery {
  readonly project: string | null;
  /** Null or undefined means any task. */
  readonly task?: string | null;
  /** Null means any status. */
  readonly statuses: readonly ProposalStatus[] | null;
  /** Only proposals whose id, or the id of their task, starts with this prefix (with or without `prop_` or `task_`). */
  readonly prefix?: string;
  /** Only proposals with this fingerprint of the change. */
  readonly patch?: string;
  /** Only proposals without a reason for which no person was asked yet. */
  readonly isUnexplained?: boolean;
  readonly limit: number;
}

export type ProposalPatch = Partial<Omit<Proposal, "id" | "project" | "task">>;

export interface ListRulesQuery {
  readonly project: string | null;
  /** Excludes rules that have expired by this time. Null includes all. */
  readonly at: number | null;
}
