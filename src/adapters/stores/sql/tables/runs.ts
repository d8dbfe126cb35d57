import { LeaseLostError } from "../../../../core/text/errors.ts";
import { OPEN_RUN_STATUSES, type Run, type RunEndStatus } from "../../../../core/task/run.ts";
import type { Task } from "../../../../core/task/task.ts";
import type { Lease, ListRunsQuery, NewRun, Period, RunEnd, RunPatch } from "../../../../ports/store.ts";
import { toColumns } from "../columns.ts";
import { toJsonOrNull } from "../json.ts";
import { toEndColumns, toQueuedRow, toRun } from "./run-rows.ts";
import type { Db, Tx } from "../schema.ts";
import { unionByStatus } from "../union.ts";

export async function getRun(db: Db, id: string): Promise<Run | null> {
  const row = await db.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? null : toRun(row);
}

export async function listRuns(db: Db, query: ListRunsQuery): Promise<readonly Run[]> {
  if (query.status?.length === 0) return [];
  const select =
    query.status === null
      ? selectRuns(db, query)
      : unionByStatus(db, query.status, (status) => selectRuns(db, query).where("status", "=", status))
          .orderBy("created_at", "desc")
          .orderBy("id", "desc")
          .limit(query.limit);
  return (await select.execute()).map(toRun).toReversed();
}

function selectRuns(db: Db, query: ListRunsQuery) {
  let select = db.selectFrom("runs").selectAll().orderBy("created_at", "desc").orderBy("id", "desc").limit(query.limit);
  if (query.task !== null) select = select.where("task", "=", query.task);
  if (query.project !== null) select = select.where("project", "=", query.project);
  return select;
}

export async function listEndedRuns(db: Db, { since, until }: Period): Promise<readonly Run[]> {
  const rows = await db
    .selectFrom("runs")
    .selectAll()
    .where("finished_at", ">=", since)
    .where("finished_at", "<", until)
    .orderBy("finished_at")
    .orderBy("id")
    .execute();
  return rows.map(toRun);
}

export async function listOpenRuns(db: Db): Promise<readonly Run[]> {
  const rows = await db
    .selectFrom("runs")
    .selectAll()
    .where("status", "in", OPEN_RUN_STATUSES)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(toRun);
}

export async function takeRun(tx: Tx, id: string, at: number): Promise<Run | null> {
  const row = await tx
    .updateTable("runs")
    .set((eb) => ({
      token: eb("token", "+", 1),
      status: "running",
      started_at: eb.fn.coalesce("started_at", eb.val(at)),
    }))
    .where("id", "=", id)
    .where("status", "in", OPEN_RUN_STATUSES)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? null : toRun(row);
}

export async function holdsLease(db: Db, lease: Lease): Promise<boolean> {
  const row = await db
    .selectFrom("runs")
    .select("id")
    .where("id", "=", lease.run)
    .where("token", "=", lease.token)
    .where("finished_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

export async function requireLease(tx: Tx, lease: Lease): Promise<void> {
  if (await holdsLease(tx, lease)) return;
  throw new LeaseLostError(
    `Run ${lease.run} has ended or was taken over, so token ${lease.token} may not write any more.`,
  );
}

export async function updateRun(tx: Tx, lease: Lease, patch: RunPatch): Promise<void> {
  await requireLease(tx, lease);
  if (Object.keys(patch).length === 0) return;
  const { granted, ...fields } = patch;
  const columns = { ...toColumns(fields), ...(granted !== undefined && { granted: toJsonOrNull(granted) }) };
  await tx.updateTable("runs").set(columns).where("id", "=", lease.run).execute();
}

export async function queueRun(tx: Tx, run: NewRun, task: Task): Promise<void> {
  await tx.insertInto("runs").values(toQueuedRow(run, task)).execute();
}

/** A run ends exactly once. A second attempt fails like a lost lease, because another writer has already decided. */
export async function endRun(tx: Tx, end: RunEnd): Promise<void> {
  const result = await tx
    .updateTable("runs")
    .set(toEndColumns(end))
    .where("id", "=", end.id)
    .where("finished_at", "is", null)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) throw new LeaseLostError(`Run ${end.id} has already ended or does not exist.`);
}

export interface EndOthersParams {
  readonly task: string;
  readonly except: string | null;
  readonly status: RunEndStatus;
  readonly at: number;
}

export async function endOtherRuns(tx: Tx, { task, except, status, at }: EndOthersParams): Promise<readonly string[]> {
  let others = tx.selectFrom("runs").select("id").where("task", "=", task).where("finished_at", "is", null);
  if (except !== null) others = others.where("id", "!=", except);
  const ids = (await others.orderBy("created_at").orderBy("id").execute()).map((row) => row.id);
  if (ids.length > 0) await tx.updateTable("runs").set({ status, finished_at: at }).where("id", "in", ids).execute();
  return ids;
}

/** Updates queued runs to the current priority of their task. */
export async function moveQueuedRuns(tx: Tx, task: string, priority: number): Promise<void> {
  await tx.updateTable("runs").set({ priority }).where("task", "=", task).where("status", "=", "queued").execute();
}

/** The agent of the queued runs changed. */
export async function moveToAccount(tx: Tx, task: string, account: string | null): Promise<void> {
  await tx.updateTable("runs").set({ account }).where("task", "=", task).where("status", "=", "queued").execute();
}

export async function wakeQueuedRuns(tx: Tx, task: string): Promise<void> {
  await tx
    .updateTable("runs")
    .set({ not_before: null })
    .where("task", "=", task)
    .where("status", "=", "queued")
    .execute();
}
