import { sql, type NotNull } from "kysely";
import { StaleTaskError } from "../../../../core/text/errors.ts";
import { queuedForAgent, type ParkedAgent } from "../../../../core/task/parked-agent.ts";
import type { Task } from "../../../../core/task/task.ts";
import type { ParkingChange } from "../../../../ports/store-agents.ts";
import { toColumns } from "../columns.ts";
import { toJson } from "../json.ts";
import type { Db, Tx } from "../schema.ts";

export async function getParked(db: Db, account: string): Promise<ParkedAgent | null> {
  return (await db.selectFrom("parked_agents").selectAll().where("account", "=", account).executeTakeFirst()) ?? null;
}

export async function listParked(db: Db): Promise<readonly ParkedAgent[]> {
  return db.selectFrom("parked_agents").selectAll().orderBy("since").orderBy("account").execute();
}

export async function listWaitingTasks(db: Db, account: string, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("runs")
    .select("task")
    .where("status", "=", "queued")
    .where("account", "=", account)
    .orderBy("priority", "desc")
    .orderBy("task_created_at")
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ task }) => task);
}

/** Returns whether one of the accounts is parked. */
export async function requestProbe(tx: Tx, accounts: readonly string[], at: number): Promise<boolean> {
  if (accounts.length === 0) return false;
  const { numUpdatedRows } = await tx
    .updateTable("parked_agents")
    .set({ until: at })
    .where("account", "in", accounts)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A person wants this task to start, so a probe of its agent is due. */
export async function requestProbeFor(tx: Tx, task: string, at: number): Promise<void> {
  await tx
    .updateTable("parked_agents")
    .set({ until: at })
    .where("account", "in", ({ selectFrom }) =>
      selectFrom("runs")
        .select("account")
        .where("task", "=", task)
        .where("status", "=", "queued")
        .$narrowType<{ account: NotNull }>(),
    )
    .execute();
}

/** Stores the change and shows it in all other tasks that wait for the agent. */
export async function changeParking(tx: Tx, { account, before, after }: ParkingChange, task: string): Promise<void> {
  const stored = await getParked(tx, account);
  if (stored?.since !== before?.since || stored?.tries !== before?.tries)
    throw new StaleTaskError(`The parking of account ${account} has changed.`);
  await tx.deleteFrom("parked_agents").where("account", "=", account).execute();
  if (after !== null) await tx.insertInto("parked_agents").values(toColumns(after)).execute();
  await markWaitingTasks(tx, account, { parked: after, except: task });
}

/** Other reasons to wait, such as a budget, still apply and are not replaced. */
async function markWaitingTasks(
  tx: Tx,
  account: string,
  { parked, except }: { readonly parked: ParkedAgent | null; readonly except: string },
): Promise<void> {
  await tx
    .updateTable("tasks")
    .set((eb) => ({
      queued_for: parked === null ? null : toJson(queuedForAgent(parked)),
      version: eb("version", "+", 1),
    }))
    .where("id", "!=", except)
    .where("id", "in", ({ selectFrom }) =>
      selectFrom("runs").select("task").where("status", "=", "queued").where("account", "=", account),
    )
    .where(({ eb, or }) =>
      or([
        eb("queued_for", "like", '%"agent":%'),
        parked === null ? sql<boolean>`false` : eb("queued_for", "is", null),
      ]),
    )
    .execute();
}

/** A task whose new run waits for a parked agent shows so. */
export async function withParkedAgent(tx: Tx, task: Task, account: string | null): Promise<Task> {
  if (account === null || task.queuedFor !== null) return task;
  const parked = await getParked(tx, account);
  return parked === null ? task : { ...task, queuedFor: queuedForAgent(parked) };
}
