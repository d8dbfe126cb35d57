import type { Generated, Kysely, Selectable, Transaction } from "kysely";
import type { EventLevel, EventType } from "../../../core/task/event.ts";
import type { ProposalStatus } from "../../../core/nightly/proposal.ts";
import type { Role } from "../../../core/task/role.ts";
import type { CheckStatus, CostBasis, EndedBy, RunStatus, Severity, StepKind } from "../../../core/task/run.ts";
import type { ArtifactType, Complexity, Size, TaskStatus } from "../../../core/task/task.ts";
import type { NoticeKind } from "../../../ports/store.ts";

/** JSON as text. The comment beside a column names its type. */
type Json = string;
/** Milliseconds since 1970. */
type Time = number;

interface TasksTable {
  id: string;
  version: number;
  /** The submitter's idempotency key, so that a submission can be repeated safely. */
  key: string | null;
  title: string;
  description: string;
  project: string;
  pipeline: string;
  pipeline_hash: string;
  state: string;
  status: TaskStatus;
  /** 0 (low) to 3 (urgent), so that the queue can be sorted by it. */
  priority: number;
  size: Size | null;
  complexity: Complexity | null;
  branch: string | null;
  base_commit: string | null;
  head_commit: string | null;
  plan_hash: string | null;
  /** `order` of the task, which is a reserved word in SQL. */
  ordered: "cancel" | "kill" | null;
  outcome: string | null;
  reason: string | null;
  submitted_by: string;
  created_at: Time;
  updated_at: Time;
  finished_at: Time | null;
  waiting_for: Json | null;
  queued_for: Json | null;
  tags: Json;
  options: Json;
  counters: Json;
  items: Json | null;
  plan: Json | null;
  context: Json;
  conversation: Json;
  trigger: Json | null;
}

interface RunsTable {
  id: string;
  task: string;
  project: string;
  state: string;
  step: StepKind;
  role: Role | null;
  attempt: number;
  status: RunStatus;
  token: number;
  /** Copies of the task's priority and age, so that one index covers the queue and admission reads only its start. */
  priority: number;
  task_created_at: Time;
  not_before: Time | null;
  agent: string | null;
  agent_version: string | null;
  model: string | null;
  sandbox: string | null;
  session_id: string | null;
  outcome: string | null;
  ended_by: EndedBy | null;
  error: string | null;
  commit_hash: string | null;
  /** Billionths of a dollar, as in `costs`. Counts towards the limits while the run is open. */
  reserved_nano_usd: number | null;
  cost_usd: number | null;
  cost_basis: CostBasis;
  tokens_input: number;
  tokens_output: number;
  tokens_cache_read: number;
  tokens_cache_write: number;
  created_at: Time;
  started_at: Time | null;
  finished_at: Time | null;
  paused_ms: number;
  trigger: Json | null;
  payload: Json | null;
  exit: Json | null;
}

/** Cost of a run. No foreign keys, because costs are kept after a task is deleted. */
interface CostsTable {
  run: string;
  task: string;
  project: string;
  pipeline: string;
  role: Role | null;
  agent: string | null;
  model: string | null;
  basis: CostBasis;
  /** Billionths of a dollar. An integer, so that sums are exact. Null if unknown. */
  nano_usd: number | null;
  tokens_input: number;
  tokens_output: number;
  tokens_cache_read: number;
  tokens_cache_write: number;
  /** When the run ended. */
  at: Time;
}

interface ChecksTable {
  id: Generated<number>;
  run: string;
  name: string;
  severity: Severity;
  status: CheckStatus;
  exit_code: number | null;
  duration_ms: number;
  tail: string;
}

interface ArtifactsTable {
  id: Generated<number>;
  task: string;
  type: ArtifactType;
  label: string;
  url: string | null;
  data: Json;
}

/** Append-only. `task` and `run` are not foreign keys, because events are kept after a task is deleted. */
interface EventsTable {
  id: Generated<number>;
  at: Time;
  task: string | null;
  run: string | null;
  type: EventType;
  level: EventLevel;
  actor_kind: "person" | "agent" | "system";
  actor_name: string;
  summary: string;
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

interface ProposalsTable {
  id: string;
  project: string;
  task: string;
  category: string;
  title: string;
  base_commit: string;
  intent: string;
  patch: string | null;
  status: ProposalStatus;
  url: string | null;
  number: number | null;
  at: Time;
  updated_at: Time;
  reason: Json | null;
  asked_at: Time | null;
  files: Json;
}

interface RulesTable {
  id: string;
  project: string;
  text: string;
  proposal: string | null;
  url: string | null;
  /** `by` of the rule, which is a reserved word in SQL. */
  by_whom: string;
  at: Time;
  updated_at: Time;
  expires_at: Time | null;
}

interface PipelinesTable {
  hash: string;
  name: string;
  text: string;
}

interface ProjectsTable {
  name: string;
  path: string | null;
  remote: string;
  default_branch: string;
  accepted: string;
  accepted_by: string;
  accepted_at: Time;
}

interface TokensTable {
  name: string;
  hash: string;
  rights: Json;
  created_at: Time;
}

interface AnswersTable {
  key: string;
  request: string;
  status: number;
  body: string;
  at: Time;
}

interface MetaTable {
  name: string;
  value: string;
}

interface MarksTable {
  id: string;
  project: string;
  name: string;
  expression: string;
  time_zone: string;
  at: Time;
  task: string | null;
}

export interface Schema {
  tasks: TasksTable;
  runs: RunsTable;
  costs: CostsTable;
  checks: ChecksTable;
  artifacts: ArtifactsTable;
  events: EventsTable;
  notices: NoticesTable;
  marks: MarksTable;
  proposals: ProposalsTable;
  rules: RulesTable;
  pipelines: PipelinesTable;
  projects: ProjectsTable;
  tokens: TokensTable;
  answers: AnswersTable;
  meta: MetaTable;
}

export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;
export type TaskRow = Selectable<TasksTable>;
export type RunRow = Selectable<RunsTable>;
export type EventRow = Selectable<EventsTable>;
