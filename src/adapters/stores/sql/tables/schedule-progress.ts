import type { ScheduleProgress } from "../../../../core/schedule/schedule.ts";
import { toColumns, toFields } from "../columns.ts";
import type { Db, Tx } from "../schema.ts";

export async function listProgress(db: Db, project: string): Promise<readonly ScheduleProgress[]> {
  const rows = await db.selectFrom("marks").selectAll().where("project", "=", project).execute();
  return rows.map(({ id: _id, ...row }) => toFields(row));
}

export async function saveProgress(tx: Tx, progress: ScheduleProgress): Promise<void> {
  const columns = toColumns(progress);
  await tx
    .insertInto("marks")
    .values({ id: idOf(progress.project, progress.name), ...columns })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(columns))
    .execute();
}

export async function dropProgress(
  tx: Tx,
  { project, name }: Pick<ScheduleProgress, "project" | "name">,
): Promise<void> {
  await tx.deleteFrom("marks").where("id", "=", idOf(project, name)).execute();
}

/** A line feed is a safe separator, because neither name can contain one. */
function idOf(project: string, name: string): string {
  return `${project}\n${name}`;
}
