import type { Event, EventDraft } from "../core/task/event.ts";
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
import type { NoticeData } from "../core/notices/notice.ts";
import type { Proposal, ProposalStatus } from "../core/nightly/proposal.ts";
import type { Role } from "../core/task/role.ts";
import type { ScheduleMark } from "../core/schedule/schedule.ts";
import type { ProjectRule } from "../core/nightly/rule.ts";
import type { ProjectRemoval } from "./projects.ts";
import type { Artifact, QueueReason, Task, TaskStatus, Trigger } from "../core/task/task.ts";
import type { MoneyStore } from "./store-money.ts";

/**
 * The truth. Every verb is one transaction; when it resolves, what it wrote survives a power cut.
 * Times are milliseconds, ids text, JSON is kept as text: one SQL for SQLite and PostgreSQL.
 */
export interface Store {
  readonly tasks: TaskStore;
  readonly events: EventStore;
  readonly outbox: OutboxStore;
  readonly schedules: ScheduleStore;
  readonly ledger: LedgerStore;
  readonly projects: ProjectStore;
  readonly people: PeopleStore;
  readonly money: MoneyStore;

  /** A sentence for each problem found; empty when the database is whole. */
  checkIntegrity(): Promise<readonly string[]>;
  /** Copies the database, whole and consistent, to a file that does not exist yet. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

/** Tasks and their runs, checks and artifacts. */
export interface TaskStore {
  /** Writes a new task with its first run and events, and admits what fits. The same key a second time returns the first task. */
  createTask(params: CreateTaskParams): Promise<CommitResult>;

  /**
   * One step of a task, whole: end of the run, new task row, events, checks, artifacts, notices, the next run, admission.
   * Throws LeaseLostError if `lease` was passed on, StaleTaskError if the task's version is no longer `expectedVersion`,
   * UserError if an ended task would go on without its project; then nothing was written. Stores `expectedVersion + 1`.
   */
  commit(params: CommitParams): Promise<CommitResult>;

  /**
   * Lets queued runs in, by priority and age, as far as the limits and the time allow. Returns the ids let in. A run made
   * in the future was made while the clock was wrong: it does not wait for its moment.
   */
  admit(admission: Admission): Promise<readonly string[]>;

  /** Takes an open run (starting, running or paused): raises its token, sets it running, fills `startedAt` the first time. Null if it has ended or is queued. */
  takeRun(runId: string, at: number): Promise<Run | null>;

  /** Writes what became known of a run. Throws LeaseLostError if the lease was passed on or the run ended. */
  updateRun(lease: Lease, patch: RunPatch): Promise<void>;

  /** True while this lease may still write. */
  holdsLease(lease: Lease): Promise<boolean>;

  getTask(id: string): Promise<Task | null>;
  /** What `createTask` made with this key. */
  getTaskByKey(key: string): Promise<Task | null>;
  /** The ids that start with `prefix` (with or without `task_`), at most ten. */
  findTaskIds(prefix: string): Promise<readonly string[]>;
  /** Newest first. */
  listTasks(query: ListTasksQuery): Promise<Page<Task>>;
  getRun(id: string): Promise<Run | null>;
  findRunIds(prefix: string): Promise<readonly string[]>;
  /** The newest `limit` of them, oldest first. */
  listRuns(query: ListRunsQuery): Promise<readonly Run[]>;
  /** Every run that is admitted and has not ended. */
  listOpenRuns(): Promise<readonly Run[]>;
  listChecks(taskId: string): Promise<readonly CheckResult[]>;
  listArtifacts(taskId: string): Promise<readonly Artifact[]>;
  /** Removes an ended task with its runs, checks and artifacts; its events and what it cost stay. */
  deleteTask(id: string, event: EventDraft): Promise<void>;
  countTasks(): Promise<Readonly<Record<TaskStatus, number>>>;
}

/** The append-only log of what happened. */
export interface EventStore {
  appendEvents(events: readonly EventDraft[]): Promise<readonly Event[]>;
  /** Events, and the notices they are worth, at once. */
  tell(told: { readonly events: readonly EventDraft[]; readonly notices: readonly NewNotice[] }): Promise<void>;
  /** Events with an id greater than `after`, oldest first. */
  listEvents(query: ListEventsQuery): Promise<readonly Event[]>;
  lastEventId(): Promise<number>;
  /** Called after each commit of this process that wrote events, with those events in order. Returns the way to stop. */
  onEvents(listener: (events: readonly Event[]) => void): () => void;
}

/** Notices that were committed with a step and are not delivered yet. */
export interface OutboxStore {
  /**
   * The next notice of each channel of each project, where its turn has come; oldest first. The later ones of a channel
   * wait until it was delivered, given up or dropped: people read them in the order in which things happened.
   */
  dueNotices(at: number, limit: number): Promise<readonly Notice[]>;
  markDelivered(noticeId: number, at: number): Promise<void>;
  /** `nextAt` null: given up. */
  markUndelivered(noticeId: number, error: string, nextAt: number | null): Promise<void>;
  /** Nobody wants it any more: no try is counted. */
  dropNotice(noticeId: number, why: string): Promise<void>;
}

/** How far each schedule was processed. */
export interface ScheduleStore {
  listMarks(project: string): Promise<readonly ScheduleMark[]>;
  /** Moves it on, and tells of it, at once. */
  saveMark(
    mark: ScheduleMark,
    told: { readonly events: readonly EventDraft[]; readonly notices: readonly NewNotice[] },
  ): Promise<void>;
  /** Of a schedule that is no longer there: should it come back, it begins anew. */
  dropMark(mark: Pick<ScheduleMark, "project" | "name">): Promise<void>;
}

/** Proposals of the nightly improvement, and the rules learned from rejections. */
export interface LedgerStore {
  /** Writes proposals; one whose id is known is replaced. They outlive their tasks. */
  saveProposals(proposals: readonly Proposal[]): Promise<void>;
  /** Newest first. */
  listProposals(query: ListProposalsQuery): Promise<readonly Proposal[]>;
  /** The proposal as it is then; null where there is none. */
  updateProposal(id: string, patch: ProposalPatch): Promise<Proposal | null>;

  /** Writes a rule; one whose id is known is replaced. */
  saveRule(rule: ProjectRule, event: EventDraft): Promise<void>;
  /** Oldest first. */
  listRules(query: ListRulesQuery): Promise<readonly ProjectRule[]>;
  /** False, and no event, where there is none. */
  removeRule(id: string, event: EventDraft): Promise<boolean>;
}

/** Registered projects and the pipeline versions that their tasks started with. */
export interface ProjectStore {
  /** Keeps the text of a pipeline under its hash, so that a task can always find the version it started with. */
  keepPipeline(hash: string, name: string, text: string): Promise<void>;
  getPipeline(hash: string): Promise<{ readonly name: string; readonly text: string } | null>;

  saveProject(project: Project, event: EventDraft): Promise<void>;
  getProject(name: string): Promise<Project | null>;
  listProjects(): Promise<readonly Project[]>;
  /** Removes a project with its schedule marks. No change, and no event, if it is unknown or has a task that has not ended. */
  removeProject(name: string, event: EventDraft): Promise<ProjectRemoval>;
}

/** Access tokens, and the responses kept for idempotency keys. */
export interface PeopleStore {
  /** Adding and removing return false, and write no event, if nothing changes. */
  addToken(token: TokenRow, event: EventDraft): Promise<boolean>;
  listTokens(): Promise<readonly TokenRow[]>;
  /** By SHA-256 of the secret. */
  findToken(hash: string): Promise<TokenRow | null>;
  removeToken(name: string, event: EventDraft): Promise<boolean>;

  /** The answer given to this key before, or null. Keys are forgotten after a day. */
  recallAnswer(key: string): Promise<StoredAnswer | null>;
  keepAnswer(key: string, answer: StoredAnswer, at: number): Promise<void>;
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
  /** Where it was not known before the end. */
  readonly sandbox?: string;
}

export interface RunPatch {
  /** Of a run that publishes: by the engine, or by an agent. */
  readonly step?: StepKind;
  readonly role?: Role | null;
  readonly status?: Extract<RunStatus, "running" | "paused">;
  readonly agent?: string;
  readonly agentVersion?: string | null;
  readonly model?: string | null;
  readonly sandbox?: string;
  readonly sessionId?: string | null;
}

/** How much may run at once. A run counts against all three. */
export interface Admission {
  readonly at: number;
  readonly total: number;
  /** Per project; projects not named have `perProject`. */
  readonly projects: Readonly<Record<string, number>>;
  readonly perProject: number;
  /** Agents that may start nothing now (parked). */
  readonly parkedAgents: readonly string[];
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
  /** Null for a person's decision; then no lease protects the write, the version does. */
  readonly lease: Lease | null;
  readonly endRun: RunEnd | null;
  /** Ends every other run of the task that has not ended (cancel, kill). */
  readonly endOthers: { readonly status: RunEndStatus; readonly at: number } | null;
  readonly newRun: NewRun | null;
  /** Its queued runs wait for no moment any more. */
  readonly wake?: boolean;
  readonly events: readonly EventDraft[];
  readonly checks: readonly CheckResult[];
  readonly artifacts: readonly Artifact[];
  readonly notices: readonly NewNotice[];
  readonly admission: Admission;
}

export interface CommitResult {
  readonly task: Task;
  /** Runs of any task that may start now. */
  readonly admitted: readonly string[];
  /** Runs that `endOthers` ended: whoever executes them must let go. */
  readonly ended: readonly string[];
  readonly events: readonly Event[];
}

export interface ListTasksQuery {
  readonly status: readonly TaskStatus[] | null;
  readonly state: string | null;
  readonly project: string | null;
  readonly cursor: string | null;
  readonly limit: number;
  /** Only tasks that wait in the queue for this. */
  readonly queuedFor?: QueueReason;
}

export interface ListRunsQuery {
  readonly task: string | null;
  readonly status: readonly RunStatus[] | null;
  readonly project: string | null;
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

export type NoticeKind = "finished" | "failed" | "waiting";

export interface NewNotice {
  readonly channel: string;
  readonly kind: NoticeKind;
  readonly project: string;
  /** Null: what it tells of came to no task. */
  readonly task: string | null;
  readonly title: string;
  readonly text: string;
  readonly data: NoticeData;
  readonly at: number;
}

export interface Notice extends NewNotice {
  readonly id: number;
  readonly attempts: number;
}

export interface Project {
  readonly name: string;
  /** The person's checkout; null for a project known only by its URL. */
  readonly path: string | null;
  /** Where commits come from and go to; the checkout itself where it has no remote. */
  readonly remote: string;
  readonly defaultBranch: string;
  /** What a person accepted of the project's files: the canonical JSON of everything that widens rights. */
  readonly accepted: string;
  readonly acceptedBy: string;
  readonly acceptedAt: number;
}

export interface ListProposalsQuery {
  readonly project: string | null;
  /** Null or left out: of any. */
  readonly task?: string | null;
  /** Null: any. */
  readonly statuses: readonly ProposalStatus[] | null;
  readonly limit: number;
}

export type ProposalPatch = Partial<Omit<Proposal, "id" | "project" | "task">>;

export interface ListRulesQuery {
  readonly project: string | null;
  /** Leaves out what has ended by then; null: nothing is left out. */
  readonly at: number | null;
}

export type Right = "submit" | "approve" | "admin";

export interface TokenRow {
  readonly name: string;
  readonly hash: string;
  readonly rights: readonly Right[];
  readonly createdAt: number;
}

export interface StoredAnswer {
  /** SHA-256 of method, path and body: the same key with another request is an error. */
  readonly request: string;
  readonly status: number;
  readonly body: string;
}
