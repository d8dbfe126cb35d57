import type { Insertable, Updateable } from "kysely";
import { fromNanoUsd } from "../../../../core/money/cost-dimensions.ts";
import { NO_TOKENS, type Run, type Tokens } from "../../../../core/task/run.ts";
import type { Task } from "../../../../core/task/task.ts";
import type { NewRun, RunEnd } from "../../../../ports/store.ts";
import { toColumns } from "../columns.ts";
import { fromJsonOrNull, toJsonOrNull } from "../json.ts";
import type { RunRow, Schema } from "../schema.ts";
import { rankOf } from "./task-rows.ts";

export function toQueuedRow(run: NewRun, task: Task): Insertable<Schema["runs"]> {
  return {
    ...toColumns(run),
    trigger: toJsonOrNull(run.trigger),
    status: "queued",
    token: 0,
    priority: rankOf(task.priority),
    task_created_at: task.createdAt,
    cost_basis: "unknown",
    ...toTokenColumns(NO_TOKENS),
    paused_ms: 0,
  };
}

export function toEndColumns({ id: _id, commit, tokens, ...end }: RunEnd): Updateable<Schema["runs"]> {
  return {
    ...toColumns(end),
    payload: toJsonOrNull(end.payload),
    exit: toJsonOrNull(end.exit),
    commit_hash: commit,
    ...toTokenColumns(tokens),
  };
}

function toTokenColumns({ input, output, cacheRead, cacheWrite }: Tokens) {
  return { tokens_input: input, tokens_output: output, tokens_cache_read: cacheRead, tokens_cache_write: cacheWrite };
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
    account: row.account,
    agentVersion: row.agent_version,
    model: row.model,
    sandbox: row.sandbox,
    granted: fromJsonOrNull(row.granted),
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
