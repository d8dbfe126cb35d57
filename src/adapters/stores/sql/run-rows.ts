import { fromNanoUsd } from "../../../core/money/cost-dimensions.ts";
import type { Run } from "../../../core/task/run.ts";
import type { Task } from "../../../core/task/task.ts";
import type { NewRun, RunEnd } from "../../../ports/store.ts";
import { fromJsonOrNull, toJsonOrNull } from "./json.ts";
import type { RunRow } from "./schema.ts";
import { rankOf } from "./task-rows.ts";

export function toQueuedRow(run: NewRun, task: Task): RunRow {
  return {
    id: run.id,
    task: run.task,
    project: run.project,
    state: run.state,
    step: run.step,
    role: run.role,
    attempt: run.attempt,
    status: "queued",
    token: 0,
    priority: rankOf(task.priority),
    task_created_at: task.createdAt,
    not_before: run.notBefore,
    agent: run.agent,
    agent_version: null,
    model: null,
    sandbox: null,
    session_id: null,
    outcome: null,
    ended_by: null,
    error: null,
    commit_hash: null,
    reserved_nano_usd: null,
    cost_usd: null,
    cost_basis: "unknown",
    tokens_input: 0,
    tokens_output: 0,
    tokens_cache_read: 0,
    tokens_cache_write: 0,
    created_at: run.createdAt,
    started_at: null,
    finished_at: null,
    paused_ms: 0,
    trigger: toJsonOrNull(run.trigger),
    payload: null,
    exit: null,
  };
}

export function toEndColumns(end: RunEnd): Partial<RunRow> {
  return {
    status: end.status,
    outcome: end.outcome,
    payload: toJsonOrNull(end.payload),
    exit: toJsonOrNull(end.exit),
    ended_by: end.endedBy,
    ...(end.sandbox !== undefined && { sandbox: end.sandbox }),
    error: end.error,
    commit_hash: end.commit,
    cost_usd: end.costUsd,
    cost_basis: end.costBasis,
    tokens_input: end.tokens.input,
    tokens_output: end.tokens.output,
    tokens_cache_read: end.tokens.cacheRead,
    tokens_cache_write: end.tokens.cacheWrite,
    paused_ms: end.pausedMs,
    finished_at: end.finishedAt,
  };
}

export function toRun(row: RunRow): Run {
  return {
    id: row.id,
    task: row.task,
    project: row.project,
    state: row.state,
    step: row.step,
    role: row.role,
    attempt: row.attempt,
    status: row.status,
    token: row.token,
    notBefore: row.not_before,
    trigger: fromJsonOrNull(row.trigger),
    agent: row.agent,
    agentVersion: row.agent_version,
    model: row.model,
    sandbox: row.sandbox,
    sessionId: row.session_id,
    outcome: row.outcome,
    payload: fromJsonOrNull(row.payload),
    exit: fromJsonOrNull(row.exit),
    endedBy: row.ended_by,
    error: row.error,
    commit: row.commit_hash,
    reservedUsd: row.reserved_nano_usd === null ? null : fromNanoUsd(row.reserved_nano_usd),
    costUsd: row.cost_usd,
    costBasis: row.cost_basis,
    tokens: {
      input: row.tokens_input,
      output: row.tokens_output,
      cacheRead: row.tokens_cache_read,
      cacheWrite: row.tokens_cache_write,
    },
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    pausedMs: row.paused_ms,
  };
}
