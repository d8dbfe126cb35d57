import type { ScheduleMark } from "../../../core/schedule/schedule.ts";
import type { Db, Schema, Tx } from "./schema.ts";

export async function listMarks(db: Db, project: string): Promise<readonly ScheduleMark[]> {
  return (await db.selectFrom("marks").selectAll().where("project", "=", project).execute()).map(toMark);
}

export async function saveMark(tx: Tx, mark: ScheduleMark): Promise<void> {
  const { timeZone, ...rest } = mark;
  const columns = { ...rest, time_zone: timeZone };
  await tx
    .insertInto("marks")
    .values({ id: idOf(mark.project, mark.name), ...columns })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(columns))
    .execute();
}

export async function dropMark(tx: Tx, { project, name }: Pick<ScheduleMark, "project" | "name">): Promise<void> {
  await tx.deleteFrom("marks").where("id", "=", idOf(project, name)).execute();
}

/** A line feed is a safe separator, because neither name can contain one. */
function idOf(project: string, name: string): string {
  return `${project}\n${name}`;
}

function toMark({ project, name, expression, time_zone: timeZone, at, task }: Schema["marks"]): ScheduleMark {
  return { project, name, expression, timeZone, at, task };
}
