import type { Generated, Kysely, Selectable, Transaction } from "kysely";
import type { Proposal } from "../../../core/nightly/proposal.ts";
import type { ProjectRule } from "../../../core/nightly/rule.ts";
import type { ScheduleProgress } from "../../../core/schedule/schedule.ts";
import type { TaskDocument } from "../../../core/task/documents/document.ts";
import type { Actor, EventDraft } from "../../../core/task/event.ts";
import type { ParkedAgent } from "../../../core/task/parked-agent.ts";
import type { Role } from "../../../core/task/role.ts";
import type { CheckResult, CostBasis, Run } from "../../../core/task/run.ts";
import type { Artifact, Task, TaskStatus } from "../../../core/task/task.ts";
import type { NoticeKind, Project } from "../../../ports/store.ts";
import type { SignInRow, StoredAnswer, TokenRow } from "../../../ports/store-people.ts";
import type { Columns } from "./columns.ts";

/** JSON as text. */
type Json = string;
/** Milliseconds since 1970. */
type Time = number;

/** Fields of a task that are stored as JSON. */
type TaskJson =
  | "tags"
  | "options"
  | "counters"
  | "documents"
  | "subtasks"
  | "approvedStates"
  | "context"
  | "conversation";
type NullableTaskJson = "waitingFor" | "queuedFor" | "items" | "published" | "plan" | "trigger";

type TasksTable = Columns<
  Omit<Task, "priority" | "order" | TaskJson | NullableTaskJson> &
    Record<TaskJson, Json> &
    Record<NullableTaskJson, Json | null>
> & {
  /** The submitter's idempotency key, so that a submission can be repeated safely. */
  key: string | null;
  /** 0 (low) to 3 (urgent), so that the queue can be sorted by it. */
  priority: number;
  /** When the questions that the task waits for are answered with their defaults. */
  deadline_at: Time | null;
  /** `order` of the task, which is a reserved word in SQL. */
  ordered: Task["order"];
};

interface TokenColumns {
  tokens_input: number;
  tokens_output: number;
  tokens_cache_read: number;
  tokens_cache_write: number;
}

type RunJson = "trigger" | "payload" | "exit" | "granted";

type RunsTable = Columns<Omit<Run, "commit" | "reservedUsd" | "tokens" | RunJson> & Record<RunJson, Json | null>> &
  TokenColumns & {
    /** Copies of the task's priority and age, so that one index covers the queue and admission reads only its start. */
    priority: number;
    task_created_at: Time;
    commit_hash: string | null;
    /** Billionths of a dollar, as in `costs`. Counts towards the limits while the run is open. */
    reserved_nano_usd: number | null;
  };

interface CostGroup {
  project: string;
  pipeline: string;
  role: Role | null;
  agent: string | null;
  model: string | null;
}

/** Sums over a run and all earlier runs of its group, ordered by `at` and `run`. So the sum of a period is one subtraction. */
export interface CostTotals {
  total_nano_usd: number;
  /** Number of runs that cost something. */
  total_paid: number;
  /** Numbers of runs by basis. Each run has one. */
  total_reported: number;
  total_metered: number;
  total_computed: number;
  total_unknown: number;
  /** Number of runs with neither a known cost nor known tokens. */
  total_unknown_tokens: number;
  total_input: number;
  total_output: number;
  total_cache_read: number;
  total_cache_write: number;
}

/** Cost of a run. No foreign keys, because costs are kept after a task is deleted. Rows are never deleted or changed. */
interface CostsTable extends CostGroup, TokenColumns, CostTotals {
  run: string;
  task: string;
  /** The id of its group. */
  cost_group: number;
  basis: CostBasis;
  /** Billionths of a dollar. An integer, so that sums are exact. Null if unknown. */
  nano_usd: number | null;
  /** When the run ended. */
  at: Time;
}

type ChecksTable = Columns<CheckResult> & { id: Generated<number> };

interface ArtifactsTable extends Omit<Artifact, "data"> {
  id: Generated<number>;
  task: string;
  data: Json;
}

/** Contents of documents. The task has the references. */
type DocumentsTable = Columns<Omit<TaskDocument, "content">> & { id: Generated<number>; task: string; content: Json };

/** Append-only. `task` and `run` are not foreign keys, because events are kept after a task is deleted. */
interface EventsTable extends Omit<EventDraft, "actor" | "data"> {
  id: Generated<number>;
  actor_kind: Actor["kind"];
  actor_name: string;
  data: Json;
}

interface NoticesTable {
  id: Generated<number>;
  channel: string;
  kind: NoticeKind;
  project: string;
  task: string;
  title: string;
  text: string;
  data: Json;
  at: Time;
  attempts: number;
  /** Null if the notice was delivered or given up. */
  next_at: Time | null;
  delivered_at: Time | null;
  error: string | null;
}

type ProposalsTable = Columns<Omit<Proposal, "files" | "reason">> & { files: Json; reason: Json | null };

type RulesTable = Columns<Omit<ProjectRule, "by">> & {
  /** `by` of the rule, which is a reserved word in SQL. */
  by_whom: string;
};

interface PipelinesTable {
  hash: string;
  name: string;
  text: string;
}

/** Results of checks on base commits. */
interface BaselinesTable {
  key: string;
  project: string;
  result: Json;
  at: Time;
}

interface MetaTable {
  name: string;
  value: string;
}

export interface Schema {
  tasks: TasksTable;
  runs: RunsTable;
  costs: CostsTable;
  cost_groups: CostGroup & { id: Generated<number> };
  /** Number of tasks by status. */
  task_counts: { status: TaskStatus; tasks: number };
  checks: ChecksTable;
  artifacts: ArtifactsTable;
  documents: DocumentsTable;
  events: EventsTable;
  notices: NoticesTable;
  marks: Columns<ScheduleProgress> & { id: string };
  proposals: ProposalsTable;
  rules: RulesTable;
  pipelines: PipelinesTable;
  baselines: BaselinesTable;
  projects: Columns<Project>;
  parked_agents: Columns<ParkedAgent>;
  tokens: Columns<Omit<TokenRow, "rights">> & { rights: Json };
  sign_ins: Columns<SignInRow>;
  answers: StoredAnswer & { key: string; at: Time };
  meta: MetaTable;
}

export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;
export type TaskRow = Selectable<TasksTable>;
export type RunRow = Selectable<RunsTable>;
export type EventRow = Selectable<EventsTable>;
