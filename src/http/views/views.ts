import { sumRunCosts } from "../../core/money/sum-run-costs.ts";
import { isInPlace } from "../../core/task/in-place.ts";
import { add } from "../../core/money/cost.ts";
import { readExecutionPlan } from "../../core/outcomes/execution-plan.ts";
import { describeCategory, isFallback } from "../../core/nightly/category.ts";
import { assumedAnswers } from "../../core/task/documents/answers.ts";
import type { DocumentRef, TaskDocument } from "../../core/task/documents/document.ts";
import { findProof } from "../../core/task/checks/proof.ts";
import { reviewsOf, type Review } from "../../core/task/documents/review.ts";
import { renderDocument } from "../../core/task/documents/render-document.ts";
import type { Event } from "../../core/task/event.ts";
import { NO_TOKENS, type CheckResult, type Run, type Tokens } from "../../core/task/run.ts";
import { withoutCredentials } from "../../core/text/without-credentials.ts";
import { hasEnded } from "../../core/task/task.ts";
import type {
  Artifact,
  Exchange,
  MergeProblem,
  Option,
  Question,
  QueuedFor,
  Task,
  TaskChangeRequest,
  WaitingFor,
} from "../../core/task/task.ts";
import { NEXT_STEPS } from "../../core/task/task.ts";
import type { Project, TaskNotice } from "../../ports/store.ts";
import type { TokenRow } from "../../ports/store-people.ts";
import type { EventJson } from "../contract/event.ts";
import type { ProjectJson } from "../contract/project.ts";
import type { CheckJson, RunJson } from "../contract/run.ts";
import type { DocumentJson, TaskJson, WaitingForJson } from "../contract/task.ts";
import type { TokenJson } from "../contract/token.ts";
import { viewGrants } from "./grants-view.ts";

/** Ids of tasks and runs, and the prefixes that people see. */
export type ShortIds = ReadonlyMap<string, string>;

export interface TaskRow {
  readonly task: Task;
  readonly changeRequest: TaskChangeRequest | null;
  readonly shortIds: ShortIds;
}

export interface TaskParts extends TaskRow {
  readonly runs: readonly Run[];
  readonly checks: readonly CheckResult[];
  readonly artifacts: readonly Artifact[];
  readonly notices: readonly TaskNotice[];
  readonly variants: readonly VariantParts[];
}

export interface VariantParts {
  readonly variant: Task;
  readonly runs: readonly Run[];
}

const LIST_DESCRIPTION = 500;

export function iso(at: number): string {
  return new Date(at).toISOString();
}

export function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at);
}

/** Returns a task for a list, without the fields that need a query for each task or are long. */
export function viewTaskRow(row: TaskRow, now: number): TaskJson {
  const { description } = row.task;
  return {
    ...viewTaskFields(row, now),
    description:
      description.length <= LIST_DESCRIPTION ? description : `${description.slice(0, LIST_DESCRIPTION - 1)}…`,
    plan: null,
    agent_ms: null,
    cost_usd: null,
    unknown_cost: null,
    tokens: null,
    context: [],
    reviews: [],
    conversation: [],
    runs: [],
    checks: [],
    proof: null,
    artifacts: [],
    notifications: [],
    merge_order: null,
    variants: [],
  };
}

export function viewTask({ runs, checks, artifacts, notices, variants, ...row }: TaskParts, now: number): TaskJson {
  const { task, shortIds } = row;
  const paidRuns = [...runs, ...variants.flatMap((each) => each.runs)];
  const agentRuns = paidRuns.filter((run) => run.step === "agent");
  return {
    ...viewTaskFields(row, now),
    description: task.description,
    plan: task.plan,
    agent_ms: sum(agentRuns.map((run) => runDuration(run, now) ?? 0)),
    ...viewCosts(agentRuns),
    tokens: viewTokens(paidRuns.reduce((total, run) => add(total, run.tokens), NO_TOKENS)),
    context: task.context.map(({ at, ...entry }) => ({ ...entry, at: iso(at) })),
    reviews: reviewsOf(task).map((review) => viewReview(review, task)),
    conversation: task.conversation.map(viewExchange),
    runs: runs.map((run) => viewRun(run, shortIds, now)),
    checks: checks.map(viewCheck),
    proof: findProof(checks)?.result ?? null,
    variants: variants.map((each) => viewVariant(each, row)),
    artifacts: [...artifacts, ...task.documents.map(toArtifact)].map(({ type, label, url, data }) => ({
      type,
      label,
      url,
      data: type === "change_request" && row.changeRequest?.url === url ? { ...data, ...describeRequest(row) } : data,
    })),
    notifications: notices.map(viewNotice),
    merge_order: null,
  };
}

function viewNotice({ channel, kind, at, deliveredAt, nextAt, error }: TaskNotice): TaskJson["notifications"][number] {
  const status = deliveredAt !== null ? "sent" : nextAt === null ? "not_sent" : "pending";
  return { channel, kind, at: iso(at), status, sent_at: isoOrNull(deliveredAt), reason: error };
}

function viewVariant({ variant, runs }: VariantParts, { task, shortIds }: TaskRow): TaskJson["variants"][number] {
  const { id, status, outcome, reason, baseCommit, headCommit, options } = variant;
  const hasWork = headCommit !== null && headCommit !== baseCommit;
  return {
    id,
    short_id: shortIds.get(id) ?? id,
    number: options.variantOf?.number ?? 0,
    agent: options.implementer?.agent ?? "",
    model: options.implementer?.model ?? null,
    status,
    outcome,
    reason,
    commit: hasWork ? headCommit : null,
    ref: hasWork && hasEnded(variant) ? `refs/nightshift/rescue/${id}` : null,
    cost_usd: sumRunCosts(runs.filter(({ step }) => step === "agent")).usd,
    is_chosen: task.options.implementer?.variant === id,
  };
}

function viewReview({ verdict, commit, summary, comments, run, by, at }: Review, { headCommit }: Task) {
  return {
    verdict,
    commit,
    is_current: commit !== null && commit === headCommit,
    summary,
    comments: comments.map(({ file = null, line = null, severity, comment, answer }) => ({
      file,
      line,
      severity,
      comment,
      answer,
    })),
    run,
    by,
    at: iso(at),
  };
}

/** Documents are artifacts too. Their content has a route of its own. */
function toArtifact({ kind, version, hash }: DocumentRef): Artifact {
  return { type: kind, label: `${kind} version ${version}`, url: null, data: { version, hash } };
}

export function viewDocumentRef({ kind, version, hash, run, at }: DocumentRef) {
  return { kind, version, hash, run, at: iso(at) };
}

export function viewDocument(document: TaskDocument): DocumentJson {
  const { kind, content } = document;
  return { ...viewDocumentRef(document), text: renderDocument(kind, content), content };
}

function viewTaskFields({ task, changeRequest, shortIds }: TaskRow, now: number) {
  return {
    id: task.id,
    short_id: shortIds.get(task.id) ?? task.id,
    title: task.title,
    project: task.project,
    pipeline: task.pipeline,
    state: task.state,
    status: task.status,
    priority: task.priority,
    size: task.size,
    complexity: task.complexity,
    tags: [...task.tags],
    plan_hash: task.planHash,
    documents: task.documents.map(viewDocumentRef),
    subtasks: task.subtasks.map(({ title, done }) => ({ title, done })),
    assumed: assumedAnswers(task).map(({ question, answer, state, at }) => ({
      question: question.id,
      text: question.question,
      answer,
      state,
      at: iso(at),
    })),
    branch: task.branch,
    base_commit: task.baseCommit,
    head_commit: task.headCommit,
    until: task.options.until ?? null,
    after: [...(task.options.after ?? [])],
    related: task.options.related ?? null,
    issue: task.options.issue ?? null,
    reviewed_request: task.options.request ?? null,
    best_of: (task.options.bestOf ?? []).map(({ agent, model }) => ({ agent, model })),
    variant_of: task.options.variantOf ?? null,
    options: {
      agent: task.options.agent,
      model: task.options.model,
      timeout_ms: task.options.timeoutMs,
      planning_timeout_ms: task.options.planningTimeoutMs ?? null,
      budget_usd: task.options.budgetUsd,
      max_turns: task.options.maxTurns ?? null,
      auto_approve: task.options.autoApprove,
      allow_dirs: [...(task.options.allowDirs ?? [])],
      design: task.options.design,
      allow_overlap: task.options.allowOverlap ?? false,
      in_place: isInPlace(task),
    },
    unchecked: [...(task.options.unchecked ?? [])],
    submitted_by: task.submittedBy,
    created_at: iso(task.createdAt),
    updated_at: iso(task.updatedAt),
    finished_at: isoOrNull(task.finishedAt),
    duration_ms: elapsed(task.createdAt, task.finishedAt ?? now),
    outcome: task.outcome,
    reason: task.reason,
    category: describeCategory(task),
    is_fallback: isFallback(task),
    waiting_for: task.waitingFor === null ? null : viewWaiting(task.waitingFor, task),
    queued_for: task.queuedFor === null ? null : viewQueued(task.queuedFor),
    change_request: changeRequest === null ? null : viewChangeRequest(changeRequest, task),
  };
}

/** What became of the change request, which its artifact does not say. */
function describeRequest({ task, changeRequest }: TaskRow): Artifact["data"] {
  const { head = null, base = null } = task.published ?? {};
  return { state: changeRequest?.state ?? "open", head, base };
}

function viewChangeRequest({ number, url, state, endedAt }: TaskChangeRequest, { published }: Task) {
  const { head = null, base = null } = published ?? {};
  return { number, url, state, head, base, ended_at: isoOrNull(endedAt) };
}

function viewQueued({ kind, until, reason, overlap }: QueuedFor): NonNullable<TaskJson["queued_for"]> {
  const { task = null, files = [] } = overlap ?? {};
  return { kind, until: isoOrNull(until), reason: reason ?? null, task, files: [...files] };
}

function viewWaiting(waiting: WaitingFor, { plan, planHash }: Task): WaitingForJson {
  const since = iso(waiting.since);
  switch (waiting.kind) {
    case "approval":
      return {
        kind: waiting.kind,
        since,
        plan_hash: waiting.planHash,
        document: waiting.document ?? null,
        reasons: waiting.planHash === planHash ? [...(readExecutionPlan(plan)?.approval_reasons ?? [])] : [],
      };
    case "answers":
      return { kind: waiting.kind, since, questions: waiting.questions.map(viewQuestion) };
    case "choice":
      return {
        kind: waiting.kind,
        since,
        reason: waiting.reason,
        options: waiting.options.map(viewOption),
        about: waiting.about ?? null,
        needs_note: waiting.about === "checks" || waiting.about === "findings",
        next_steps: waiting.about === "fix" ? [...NEXT_STEPS] : [],
      };
    case "review":
      return { kind: waiting.kind, since };
    case "merge":
      return { kind: waiting.kind, since, problem: viewMergeProblem(waiting.problem) };
  }
}

function viewMergeProblem(problem: MergeProblem | undefined) {
  return problem === undefined ? null : { reason: problem.reason, retry_at: isoOrNull(problem.retryAt) };
}

function viewQuestion({ id, question, context, input, options, default: standard, deadline }: Question) {
  return { id, question, context, input, options: [...options], default: standard, deadline: isoOrNull(deadline) };
}

function viewOption({ id, title, description, recommended }: Option) {
  return { id, title, description, recommended };
}

function viewExchange(exchange: Exchange): TaskJson["conversation"][number] {
  return {
    kind: exchange.kind,
    state: exchange.state,
    asked: exchange.asked.map((asked) => ("question" in asked ? viewQuestion(asked) : viewOption(asked))),
    reply: exchange.reply,
    assumed: [...(exchange.assumed ?? [])],
    by: exchange.by,
    at: iso(exchange.at),
  };
}

export function viewRun(run: Run, shortIds: ShortIds, now: number): RunJson {
  return {
    id: run.id,
    short_id: shortIds.get(run.id) ?? run.id,
    task: run.task,
    project: run.project,
    state: run.state,
    step: run.step,
    role: run.role,
    agent: run.agent,
    agent_version: run.agentVersion,
    model: run.model,
    status: run.status,
    outcome: run.outcome,
    payload: run.payload,
    attempt: run.attempt,
    exit: run.exit,
    ended_by: run.endedBy,
    pid: null,
    denials: viewDenials(run),
    ...viewGrants(run),
    session_id: run.sessionId,
    sandbox: run.sandbox,
    commit: run.commit,
    created_at: iso(run.createdAt),
    started_at: isoOrNull(run.startedAt),
    finished_at: isoOrNull(run.finishedAt),
    duration_ms: runDuration(run, now),
    cost_usd: run.costUsd,
    cost_basis: run.costBasis,
    tokens: viewTokens(run.tokens),
    error: run.error,
  };
}

/** The engine writes them in `toRunEnd`. Runs of earlier versions have none. */
function viewDenials({ payload }: Run): RunJson["denials"] {
  const denials = payload?.["denials"];
  return Array.isArray(denials) ? (denials as RunJson["denials"]) : [];
}

function viewCheck(check: CheckResult): CheckJson {
  const { run, name, severity, status, exitCode, durationMs, tail } = check;
  return { run, name, severity, status, exit_code: exitCode, duration_ms: durationMs, tail };
}

export function viewEvent({ id, at, task, run, type, level, actor, summary, data }: Event): EventJson {
  return { id, at: iso(at), task, run, type, level, actor: { kind: actor.kind, name: actor.name }, summary, data };
}

export function viewProject(project: Project): ProjectJson {
  return {
    name: project.name,
    path: project.path,
    remote: withoutCredentials(project.remote),
    default_branch: project.defaultBranch,
    accepted_by: project.acceptedBy,
    accepted_at: iso(project.acceptedAt),
  };
}

export function viewTokenRow({ name, rights, createdAt }: TokenRow): TokenJson {
  return { name, rights: [...rights], created_at: iso(createdAt) };
}

export function viewTokens({ input, output, cacheRead, cacheWrite }: Tokens) {
  return { input, output, cache_read: cacheRead, cache_write: cacheWrite };
}

function runDuration(run: Run, now: number): number | null {
  if (run.startedAt === null) return null;
  return Math.max(0, elapsed(run.startedAt, run.finishedAt ?? now) - run.pausedMs);
}

/** The result is never negative, even if the machine's clock was set back. */
function elapsed(from: number, to: number): number {
  return Math.max(0, Math.round(to - from));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function viewCosts(agentRuns: readonly Run[]) {
  const { usd, unknownRuns } = sumRunCosts(agentRuns);
  return { cost_usd: usd, unknown_cost: unknownRuns };
}
