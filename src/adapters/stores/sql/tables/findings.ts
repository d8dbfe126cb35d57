import type { CheckResult } from "../../../../core/task/run.ts";
import { readCheckStatus } from "../../../../core/task/checks/judge-check.ts";
import type { Artifact } from "../../../../core/task/task.ts";
import { toColumns, toFields } from "../columns.ts";
import { fromJson, toJson } from "../json.ts";
import type { Db, Tx } from "../schema.ts";

/** A check that was repeated after a crash replaces the earlier result of the same run. */
export async function saveChecks(tx: Tx, checks: readonly CheckResult[]): Promise<void> {
  for (const { run, name, ...check } of checks) {
    const result = toColumns(check);
    await tx
      .insertInto("checks")
      .values({ run, name, ...result })
      .onConflict((conflict) => conflict.columns(["run", "name"]).doUpdateSet(result))
      .execute();
  }
}

export async function listChecks(db: Db, task: string): Promise<readonly CheckResult[]> {
  const rows = await db
    .selectFrom("checks")
    .innerJoin("runs", "runs.id", "checks.run")
    .selectAll("checks")
    .where("runs.task", "=", task)
    .orderBy("checks.id")
    .execute();
  return rows.map(({ id: _id, ...row }) => ({ ...toFields(row), status: readCheckStatus(row.status) }));
}

/** An artifact with the same type and label replaces the earlier one, and is the newest again. */
export async function saveArtifacts(tx: Tx, task: string, artifacts: readonly Artifact[]): Promise<void> {
  for (const { type, label, url, data } of artifacts) {
    await removeArtifact(tx, task, { type, label });
    await tx
      .insertInto("artifacts")
      .values({ task, type, label, url, data: toJson(data) })
      .execute();
  }
}

export async function removeArtifact(
  tx: Tx,
  task: string,
  { type, label }: Pick<Artifact, "type" | "label">,
): Promise<void> {
  await tx
    .deleteFrom("artifacts")
    .where((row) => row.and({ task, type, label }))
    .execute();
}

export async function listArtifacts(db: Db, task: string): Promise<readonly Artifact[]> {
  const rows = await db.selectFrom("artifacts").selectAll().where("task", "=", task).orderBy("id").execute();
  return rows.map(({ type, label, url, data }) => ({ type, label, url, data: fromJson(data) }));
}
