import { PRIORITIES, type Priority, type Task } from "../../../core/task/task.ts";
import { fromJson, fromJsonOrNull, toJson, toJsonOrNull } from "./json.ts";
import type { TaskRow } from "./schema.ts";

export function rankOf(priority: Priority): number {
  return PRIORITIES.indexOf(priority);
}

export function toTaskRow(task: Task): Omit<TaskRow, "key"> {
  return {
    id: task.id,
    version: task.version,
    title: task.title,
    description: task.description,
    project: task.project,
    pipeline: task.pipeline,
    pipeline_hash: task.pipelineHash,
    state: task.state,
    status: task.status,
    priority: rankOf(task.priority),
    size: task.size,
    complexity: task.complexity,
    branch: task.branch,
    base_commit: task.baseCommit,
    head_commit: task.headCommit,
    plan_hash: task.planHash,
    ordered: task.order,
    outcome: task.outcome,
    reason: task.reason,
    submitted_by: task.submittedBy,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
    finished_at: task.finishedAt,
    waiting_for: toJsonOrNull(task.waitingFor),
    queued_for: toJsonOrNull(task.queuedFor),
    tags: toJson(task.tags),
    options: toJson(task.options),
    counters: toJson(task.counters),
    items: toJsonOrNull(task.items),
    plan: toJsonOrNull(task.plan),
    context: toJson(task.context),
    conversation: toJson(task.conversation),
    trigger: toJsonOrNull(task.trigger),
  };
}

export function toTask(row: TaskRow): Task {
  return {
    id: row.id,
    version: row.version,
    title: row.title,
    description: row.description,
    project: row.project,
    pipeline: row.pipeline,
    pipelineHash: row.pipeline_hash,
    state: row.state,
    status: row.status,
    waitingFor: fromJsonOrNull(row.waiting_for),
    queuedFor: fromJsonOrNull(row.queued_for),
    priority: PRIORITIES[row.priority] ?? "normal",
    size: row.size,
    complexity: row.complexity,
    tags: fromJson(row.tags),
    options: fromJson(row.options),
    counters: fromJson(row.counters),
    items: fromJsonOrNull(row.items),
    branch: row.branch,
    baseCommit: row.base_commit,
    headCommit: row.head_commit,
    plan: fromJsonOrNull(row.plan),
    planHash: row.plan_hash,
    context: fromJson(row.context),
    conversation: fromJson(row.conversation),
    trigger: fromJsonOrNull(row.trigger),
    order: row.ordered,
    outcome: row.outcome,
    reason: row.reason,
    submittedBy: row.submitted_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    finishedAt: row.finished_at,
  };
}
