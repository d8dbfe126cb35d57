import type { Event, EventDraft, EventType } from "../../../../core/task/event.ts";
import type { ListDecisionsQuery, ListEventsQuery, Page, Period } from "../../../../ports/store.ts";
import { invalidCursor } from "../invalid-cursor.ts";
import { fromJson, toJson } from "../json.ts";
import type { Db, EventRow, Tx } from "../schema.ts";

/** Inserts events one by one, because a multi-row insert does not guarantee the order of ids. */
export async function insertEvents(tx: Tx, drafts: readonly EventDraft[]): Promise<readonly Event[]> {
  const events: Event[] = [];
  for (const draft of drafts) {
    const { id } = await tx.insertInto("events").values(toEventRow(draft)).returning("id").executeTakeFirstOrThrow();
    events.push({ ...draft, id });
  }
  return events;
}

export async function listEvents(db: Db, query: ListEventsQuery): Promise<readonly Event[]> {
  let select = db.selectFrom("events").selectAll().where("id", ">", query.after).orderBy("id").limit(query.limit);
  if (query.task !== null) select = select.where("task", "=", query.task);
  return (await select.execute()).map(toEvent);
}

export async function listEventsIn(
  db: Db,
  { since, until }: Period,
  types: readonly EventType[],
): Promise<readonly Event[]> {
  const rows = await db
    .selectFrom("events")
    .selectAll()
    .where("at", ">=", since)
    .where("at", "<", until)
    .where("type", "in", types)
    .orderBy("at")
    .orderBy("id")
    .execute();
  return rows.map(toEvent);
}

export async function listDecisions(db: Db, { task, cursor, limit }: ListDecisionsQuery): Promise<Page<Event>> {
  let select = db
    .selectFrom("events")
    .selectAll()
    .where("type", "=", "task.decided")
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1);
  if (task !== null) select = select.where("task", "=", task);
  if (cursor !== null) {
    const [at = 0, id = 0] = parseCursor(cursor);
    select = select.where(({ eb, refTuple, tuple }) => eb(refTuple("at", "id"), "<", tuple(at, id)));
  }
  const rows = (await select.execute()).map(toEvent);
  const last = rows[limit - 1];
  if (rows.length <= limit || last === undefined) return { rows, next: null };
  return { rows: rows.slice(0, limit), next: `${last.at}.${last.id}` };
}

function parseCursor(cursor: string): readonly number[] {
  if (!/^\d{1,15}\.\d{1,15}$/.test(cursor)) throw invalidCursor();
  return cursor.split(".").map(Number);
}

export async function lastEventId(db: Db): Promise<number> {
  const row = await db
    .selectFrom("events")
    .select((eb) => eb.fn.max("id").as("id"))
    .executeTakeFirst();
  return row?.id ?? 0;
}

function toEventRow({ actor, data, ...same }: EventDraft): Omit<EventRow, "id"> {
  return { ...same, actor_kind: actor.kind, actor_name: actor.name, data: toJson(data) };
}

function toEvent({ actor_kind: kind, actor_name: name, data, ...same }: EventRow): Event {
  return { ...same, actor: { kind, name }, data: fromJson(data) };
}
