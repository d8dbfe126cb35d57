import { UserError } from "../../../../core/text/errors.ts";
import { ENDED_STATUSES, TASK_STATUSES, type Task, type TaskStatus } from "../../../../core/task/task.ts";
import type { Page } from "../../../../ports/store.ts";
import type { ListTasksQuery } from "../../../../ports/store-task-queries.ts";
import type { Db, Tx } from "../schema.ts";
import { parseCursor } from "./task-cursor.ts";
import { searchTasks } from "./task-search.ts";
import { toTask, toTaskRow } from "./task-rows.ts";
import { unionByStatus } from "../union.ts";

export async function getTask(db: Db, id: string): Promise<Task | null> {
  const row = await db.selectFrom("tasks").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? null : toTask(row);
}

export async function getTaskByKey(db: Db, key: string): Promise<Task | null> {
  const row = await db.selectFrom("tasks").selectAll().where("key", "=", key).executeTakeFirst();
  return row === undefined ? null : toTask(row);
}

export async function listTasks(db: Db, query: ListTasksQuery): Promise<Page<Task>> {
  if (query.status?.length === 0) return { rows: [], next: null };
  if (query.search !== undefined) return toPage(await searchTasks(db, { ...query, search: query.search }), query.limit);
  // The index by state contains the status too.
  const statuses = query.status ?? (query.state === null ? null : TASK_STATUSES);
  const select =
    statuses === null
      ? selectTasks(db, query)
      : unionByStatus(db, statuses, (status) => selectTasks(db, query).where("status", "=", status))
          .orderBy("created_at", "desc")
          .orderBy("id", "desc")
          .limit(query.limit + 1);
  return toPage((await select.execute()).map(toTask), query.limit);
}

/** `rows` has one more row than the page if there is a next page. */
function toPage(rows: Task[], limit: number): Page<Task> {
  const last = rows[limit - 1];
  if (rows.length <= limit || last === undefined) return { rows, next: null };
  return { rows: rows.slice(0, limit), next: `${last.createdAt}.${last.id}` };
}

function selectTasks(db: Db, query: ListTasksQuery) {
  let select = db
    .selectFrom("tasks")
    .selectAll()
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(query.limit + 1);
  if (query.state !== null) select = select.where("state", "=", query.state);
  if (query.project !== null) select = select.where("project", "=", query.project);
  // Match the text of the JSON, which works in any database and avoids loading a long queue.
  if (query.queuedFor !== undefined) select = select.where("queued_for", "like", `%"kind":"${query.queuedFor}"%`);
  if (query.about !== undefined) select = select.where("waiting_for", "like", `%"about":"${query.about}"%`);
  if (query.isPublished === true) select = select.where("published", "is not", null);
  if (query.hasPlan === true) select = select.where("plan", "is not", null);
  if (query.variants !== undefined)
    select = select.where("options", query.variants === "only" ? "like" : "not like", '%"variantOf":{%');
  if (query.cursor !== null) {
    const { createdAt, id } = parseCursor(query.cursor);
    select = select.where(({ eb, refTuple, tuple }) => eb(refTuple("created_at", "id"), "<", tuple(createdAt, id)));
  }
  return select;
}

export async function listOverdue(db: Db, at: number, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("tasks")
    .select("id")
    .where("deadline_at", "<=", at)
    .orderBy("deadline_at")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function listEndedTaskIds(db: Db, since: number, until: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("tasks")
    .select("id")
    .where("finished_at", ">=", since)
    .where("finished_at", "<", until)
    .orderBy("finished_at")
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}

export async function countTasks(db: Db): Promise<Readonly<Record<TaskStatus, number>>> {
  const rows = await db.selectFrom("task_counts").selectAll().execute();
  const counts = new Map(rows.map((row) => [row.status, row.tasks]));
  // The cast is safe, because every status is a key.
  return Object.fromEntries(TASK_STATUSES.map((status) => [status, counts.get(status) ?? 0])) as Record<
    TaskStatus,
    number
  >;
}

export async function insertTask(tx: Tx, task: Task, key: string | null): Promise<void> {
  await tx
    .insertInto("tasks")
    .values({ ...toTaskRow(task), key })
    .execute();
  await changeCount(tx, task.status, 1);
}

/** `before` is the status that the task has now. */
export async function replaceTask(tx: Tx, task: Task, before: TaskStatus): Promise<void> {
  await tx.updateTable("tasks").set(toTaskRow(task)).where("id", "=", task.id).execute();
  if (task.status === before) return;
  await changeCount(tx, before, -1);
  await changeCount(tx, task.status, 1);
}

async function changeCount(tx: Tx, status: TaskStatus, change: 1 | -1): Promise<void> {
  await tx
    .insertInto("task_counts")
    .values({ status, tasks: change })
    .onConflict((conflict) =>
      conflict.column("status").doUpdateSet((eb) => ({ tasks: eb("task_counts.tasks", "+", change) })),
    )
    .execute();
}

export async function deleteTask(tx: Tx, id: string): Promise<void> {
  const row = await tx.selectFrom("tasks").select("status").where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw new UserError("not_found", `There is no task ${id}.`);
  if (!ENDED_STATUSES.includes(row.status)) {
    throw new UserError(
      "conflict",
      `Task ${id} is ${row.status}; only tasks that have ended (${ENDED_STATUSES.join(", ")}) can be deleted.`,
      "Cancel it first.",
    );
  }
  await tx.deleteFrom("tasks").where("id", "=", id).execute();
  await changeCount(tx, row.status, -1);
}
