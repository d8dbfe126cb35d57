import type { NoticeData } from "../../../../core/notices/notice.ts";
import type { NewNotice, Notice, TaskNotice } from "../../../../ports/store.ts";
import type { Db, Tx } from "../schema.ts";

/** Used instead of null, because the column is not nullable. */
const NO_TASK = "";

export async function insertNotices(tx: Tx, notices: readonly NewNotice[]): Promise<void> {
  for (const { data, task, ...notice } of notices) {
    await tx
      .insertInto("notices")
      .values({ ...notice, task: task ?? NO_TASK, data: JSON.stringify(data), attempts: 0, next_at: notice.at })
      .execute();
  }
}

export async function dueNotices(db: Db, at: number, limit: number): Promise<readonly Notice[]> {
  const rows = await db
    .selectFrom("notices")
    .select(["id", "channel", "kind", "project", "task", "title", "text", "data", "at", "attempts"])
    .where("next_at", "<=", at)
    .where("id", "in", (eb) =>
      eb
        .selectFrom("notices")
        .select((inner) => inner.fn.min("id").as("id"))
        .where("next_at", "is not", null)
        .groupBy(["project", "channel"]),
    )
    .orderBy("id")
    .limit(limit)
    .execute();
  // The cast is safe: the value was written above or by the migration.
  return rows.map(({ task, ...row }) => ({
    ...row,
    task: task === NO_TASK ? null : task,
    data: JSON.parse(row.data) as NoticeData,
  }));
}

export async function findFailure(db: Db, channel: string, projects: readonly string[]): Promise<string | null> {
  const newest = await Promise.all(projects.map((project) => findNewestTried(db, channel, project)));
  const [last] = newest.flatMap((row) => row ?? []).toSorted((a, b) => b.id - a.id);
  return last === undefined || last.delivered_at !== null ? null : last.error;
}

async function findNewestTried(db: Db, channel: string, project: string) {
  return await db
    .selectFrom("notices")
    .select(["id", "delivered_at", "error"])
    .where("project", "=", project)
    .where("channel", "=", channel)
    .where((eb) => eb.or([eb("delivered_at", "is not", null), eb("error", "is not", null)]))
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** A task that waits often has many. */
const MAX_TASK_NOTICES = 200;

export async function listTaskNotices(db: Db, task: string): Promise<readonly TaskNotice[]> {
  const rows = await db
    .selectFrom("notices")
    .select(["channel", "kind", "title", "at", "delivered_at as deliveredAt", "next_at as nextAt", "error"])
    .where("task", "=", task)
    .orderBy("id", "desc")
    .limit(MAX_TASK_NOTICES)
    .execute();
  return rows.toReversed();
}

export async function markDelivered(tx: Tx, id: number, at: number): Promise<void> {
  await tx.updateTable("notices").set({ delivered_at: at, next_at: null, error: null }).where("id", "=", id).execute();
}

export async function markUndelivered(tx: Tx, id: number, error: string, nextAt: number | null): Promise<void> {
  await tx
    .updateTable("notices")
    .set((eb) => ({ attempts: eb("attempts", "+", 1), error, next_at: nextAt }))
    .where("id", "=", id)
    .execute();
}

export async function dropNotice(tx: Tx, id: number, why: string): Promise<void> {
  await tx.updateTable("notices").set({ error: why, next_at: null }).where("id", "=", id).execute();
}
