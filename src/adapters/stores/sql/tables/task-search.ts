import { sql, type ExpressionBuilder } from "kysely";
import { TASK_STATUSES, type Task, type TaskStatus } from "../../../../core/task/task.ts";
import type { ListTasksQuery, TaskFilter } from "../../../../ports/store-task-queries.ts";
import type { Db, Schema } from "../schema.ts";
import { parseCursor } from "./task-cursor.ts";
import { toTask } from "./task-rows.ts";

/** Returns at most `limit + 1` tasks, newest first. Reads the index `tasks_search` from its start, not the tasks. */
export async function searchTasks(db: Db, query: ListTasksQuery & { readonly search: TaskFilter }): Promise<Task[]> {
  let select = selectIds(db, { ...query, ...query.search, status: query.status })
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(query.limit + 1);
  if (query.cursor !== null) {
    const { createdAt, id } = parseCursor(query.cursor);
    select = select.where(({ eb, refTuple, tuple }) => eb(refTuple("created_at", "id"), "<", tuple(createdAt, id)));
  }
  const ids = (await select.select("id").execute()).map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await db.selectFrom("tasks").selectAll().where("id", "in", ids).execute();
  const found = new Map(rows.map((row) => [row.id, toTask(row)]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

export async function countMatching(db: Db, filter: TaskFilter): Promise<Readonly<Record<TaskStatus, number>>> {
  const rows = await selectIds(db, filter)
    .select([unindexed("status").as("status"), (eb) => eb.fn.countAll<number>().as("tasks")])
    .groupBy(unindexed("status"))
    .execute();
  const counts = new Map(rows.map((row) => [row.status, row.tasks]));
  // The cast is safe, because every status is a key.
  return Object.fromEntries(TASK_STATUSES.map((status) => [status, counts.get(status) ?? 0])) as Record<
    TaskStatus,
    number
  >;
}

type TaskExpressions = ExpressionBuilder<Schema, "tasks">;

/** Uses only columns of the index `tasks_search`. */
function selectIds(db: Db, filter: TaskFilter) {
  const {
    status = null,
    project = null,
    state = null,
    pipeline = null,
    agent = null,
    tag = null,
    text = null,
  } = filter;
  let select = db.selectFrom("tasks");
  if (status !== null) select = select.where(unindexed("status"), "in", status);
  if (project !== null) select = select.where(unindexed("project"), "=", project);
  if (state !== null) select = select.where(unindexed("state"), "=", state);
  if (pipeline !== null) select = select.where("pipeline", "=", pipeline);
  if (filter.variants !== undefined)
    select = select.where("options", filter.variants === "only" ? "like" : "not like", '%"variantOf":{%');
  // A JSON text within the JSON of the column.
  if (tag !== null) select = select.where(() => isLike("tags", `%${escapeLike(JSON.stringify(tag))}%`));
  if (agent !== null) select = select.where((eb) => isBy(eb, agent));
  if (text !== null) select = select.where((eb) => contains(eb, text));
  return select;
}

/** The person chose the agent, or one of the runs has it. */
function isBy(eb: TaskExpressions, agent: string) {
  const runs = eb
    .selectFrom("runs")
    .select("runs.agent")
    .whereRef("runs.task", "=", "tasks.id")
    .where("runs.agent", "=", agent);
  return eb.or([isLike("options", `%"agent":${escapeLike(JSON.stringify(agent))}%`), eb.exists(runs)]);
}

function contains(eb: TaskExpressions, text: string) {
  const escaped = escapeLike(text);
  return eb.or([
    isLike("title", `%${escaped}%`),
    isLike("branch", `%${escaped}%`),
    isLike("id", `${escaped}%`),
    isLike("id", `task\\_${escaped}%`),
  ]);
}

function isLike(column: "title" | "branch" | "id" | "tags" | "options", pattern: string) {
  return sql<boolean>`${sql.ref(`tasks.${column}`)} like ${pattern} escape '\\'`;
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, (character) => `\\${character}`);
}

/** The database would otherwise use the index that begins with this column, and read every row to test the other filters. */
function unindexed<Column extends "status" | "project" | "state">(column: Column) {
  return sql<Schema["tasks"][Column]>`(${sql.ref(`tasks.${column}`)} || '')`;
}
