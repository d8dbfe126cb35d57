import type { Differences } from "../differences.ts";
import type { Tx } from "../schema.ts";
import type { Migration } from "./migration.ts";
import { createIndex, createTable, createUniqueIndex } from "./table.ts";

export const start: Migration = {
  version: 1,
  async up(tx, differences) {
    await createTasks(tx, differences);
    await createRuns(tx, differences);
    await createFindings(tx, differences);
    await createEvents(tx, differences);
    await createNotices(tx, differences);
    await createPeople(tx, differences);
  },
};

async function createTasks(tx: Tx, differences: Differences): Promise<void> {
  await createTable(tx, differences, "tasks", {
    id: "id",
    version: "integer",
    key: "text?",
    title: "text",
    project: "text",
    pipeline: "text",
    pipeline_hash: "text",
    state: "text",
    status: "text",
    priority: "integer",
    size: "text?",
    complexity: "text?",
    branch: "text?",
    base_commit: "text?",
    head_commit: "text?",
    plan_hash: "text?",
    ordered: "text?",
    outcome: "text?",
    reason: "text?",
    submitted_by: "text",
    created_at: "bigint",
    updated_at: "bigint",
    finished_at: "bigint?",
    waiting_for: "text?",
    queued_for: "text?",
    tags: "text",
    options: "text",
    counters: "text",
    items: "text?",
    trigger: "text?",
    // Long columns come last, so that reading the short ones is fast.
    plan: "text?",
    context: "text",
    conversation: "text",
    description: "text",
  }).execute();
  await createUniqueIndex(tx, "tasks", ["key"]);
  await createIndex(tx, "tasks", ["created_at", "id"]);
  await createIndex(tx, "tasks", ["status", "created_at", "id"]);
  await createIndex(tx, "tasks", ["project", "created_at", "id"]);
}

async function createRuns(tx: Tx, differences: Differences): Promise<void> {
  await createTable(tx, differences, "runs", {
    id: "id",
    task: "text",
    project: "text",
    state: "text",
    step: "text",
    role: "text?",
    attempt: "integer",
    status: "text",
    token: "integer",
    priority: "integer",
    task_created_at: "bigint",
    not_before: "bigint?",
    agent: "text?",
    agent_version: "text?",
    model: "text?",
    sandbox: "text?",
    session_id: "text?",
    outcome: "text?",
    ended_by: "text?",
    error: "text?",
    commit_hash: "text?",
    cost_usd: "double precision?",
    cost_basis: "text",
    tokens_input: "bigint",
    tokens_output: "bigint",
    tokens_cache_read: "bigint",
    tokens_cache_write: "bigint",
    created_at: "bigint",
    started_at: "bigint?",
    finished_at: "bigint?",
    paused_ms: "bigint",
    exit: "text?",
    trigger: "text?",
    payload: "text?",
  })
    .addForeignKeyConstraint("runs_of_task", ["task"], "tasks", ["id"], (key) => key.onDelete("cascade"))
    .execute();
  await createIndex(tx, "runs", ["task", "created_at"]);
  await createIndex(tx, "runs", ["created_at", "id"]);
  await createIndex(tx, "runs", ["finished_at"]);
  await createIndex(tx, "runs", ["status", "not_before"]);
  await tx.schema
    .createIndex("runs_queue")
    .on("runs")
    .columns(["status", "priority desc", "task_created_at", "created_at", "id"])
    .execute();
}

async function createFindings(tx: Tx, differences: Differences): Promise<void> {
  await createTable(tx, differences, "checks", {
    id: "identity",
    run: "text",
    name: "text",
    severity: "text",
    status: "text",
    exit_code: "integer?",
    duration_ms: "bigint",
    tail: "text",
  })
    .addForeignKeyConstraint("checks_of_run", ["run"], "runs", ["id"], (key) => key.onDelete("cascade"))
    .execute();
  await createUniqueIndex(tx, "checks", ["run", "name"]);

  await createTable(tx, differences, "artifacts", {
    id: "identity",
    task: "text",
    type: "text",
    label: "text",
    url: "text?",
    data: "text",
  })
    .addForeignKeyConstraint("artifacts_of_task", ["task"], "tasks", ["id"], (key) => key.onDelete("cascade"))
    .execute();
  await createUniqueIndex(tx, "artifacts", ["task", "type", "label"]);
}

async function createEvents(tx: Tx, differences: Differences): Promise<void> {
  await createTable(tx, differences, "events", {
    id: "identity",
    at: "bigint",
    task: "text?",
    run: "text?",
    type: "text",
    level: "text",
    actor_kind: "text",
    actor_name: "text",
    summary: "text",
    data: "text",
  }).execute();
  await createIndex(tx, "events", ["task", "id"]);
}

async function createNotices(tx: Tx, differences: Differences): Promise<void> {
  await createTable(tx, differences, "notices", {
    id: "identity",
    channel: "text",
    kind: "text",
    task: "text",
    title: "text",
    text: "text",
    at: "bigint",
    attempts: "integer",
    next_at: "bigint?",
    delivered_at: "bigint?",
    error: "text?",
  }).execute();
  await createIndex(tx, "notices", ["next_at"]);
}

async function createPeople(tx: Tx, differences: Differences): Promise<void> {
  await createTable(tx, differences, "pipelines", { hash: "id", name: "text", text: "text" }).execute();
  await createTable(tx, differences, "projects", {
    name: "id",
    path: "text?",
    remote: "text",
    default_branch: "text",
    accepted: "text",
    accepted_by: "text",
    accepted_at: "bigint",
  }).execute();
  await createTable(tx, differences, "tokens", {
    name: "id",
    hash: "text",
    rights: "text",
    created_at: "bigint",
  }).execute();
  await createUniqueIndex(tx, "tokens", ["hash"]);
  await createTable(tx, differences, "answers", {
    key: "id",
    request: "text",
    status: "integer",
    body: "text",
    at: "bigint",
  }).execute();
  await createIndex(tx, "answers", ["at"]);
}
