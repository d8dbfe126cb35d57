import type { NewNotice, Notice } from "../../../ports/store.ts";
import type { Db, Tx } from "./schema.ts";

export async function insertNotices(tx: Tx, notices: readonly NewNotice[]): Promise<void> {
  for (const { channel, kind, task, title, text, at } of notices) {
    await tx.insertInto("notices").values({ channel, kind, task, title, text, at, attempts: 0, next_at: at }).execute();
  }
}

export async function dueNotices(db: Db, at: number, limit: number): Promise<readonly Notice[]> {
  return await db
    .selectFrom("notices")
    .select(["id", "channel", "kind", "task", "title", "text", "at", "attempts"])
    .where("next_at", "<=", at)
    .orderBy("id")
    .limit(limit)
    .execute();
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
