import type { ScheduleMark } from "../../../core/schedule.ts";
import type { Db, Schema, Tx } from "./schema.ts";

export async function getMark(db: Db, project: string, name: string): Promise<ScheduleMark | null> {
  const row = await db.selectFrom("marks").selectAll().where("id", "=", idOf(project, name)).executeTakeFirst();
  return row === undefined ? null : toMark(row);
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

/** Neither name can hold a line feed. */
function idOf(project: string, name: string): string {
  return `${project}\n${name}`;
}

function toMark({ project, name, expression, time_zone: timeZone, at, task }: Schema["marks"]): ScheduleMark {
  return { project, name, expression, timeZone, at, task };
}
