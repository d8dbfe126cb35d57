import { answerDeadline } from "../../../../core/task/documents/answers.ts";
import { PRIORITIES, type Priority, type Task } from "../../../../core/task/task.ts";
import { toColumns } from "../columns.ts";
import { fromJson, fromJsonOrNull, toJson, toJsonOrNull } from "../json.ts";
import type { TaskRow } from "../schema.ts";

export function rankOf(priority: Priority): number {
  return PRIORITIES.indexOf(priority);
}

export function toTaskRow({ order, ...task }: Task): Omit<TaskRow, "key"> {
  return {
    ...toColumns(task),
    ordered: order,
    priority: rankOf(task.priority),
    waiting_for: toJsonOrNull(task.waitingFor),
    deadline_at: answerDeadline(task.waitingFor),
    queued_for: toJsonOrNull(task.queuedFor),
    tags: toJson(task.tags),
    options: toJson(task.options),
    counters: toJson(task.counters),
    items: toJsonOrNull(task.items),
    published: toJsonOrNull(task.published ?? null),
    plan: toJsonOrNull(task.plan),
    documents: toJson(task.documents),
    subtasks: toJson(task.subtasks),
    approved_states: toJson(task.approvedStates),
    context: toJson(task.context),
    conversation: toJson(task.conversation),
    trigger: toJsonOrNull(task.trigger),
  };
}

/** Lists every field, because a generic conversion takes twice as long for thousands of tasks. */
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
    published: fromJsonOrNull(row.published),
    plan: fromJsonOrNull(row.plan),
    planHash: row.plan_hash,
    documents: fromJson(row.documents),
    subtasks: fromJson(row.subtasks),
    approvedStates: fromJson(row.approved_states),
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
