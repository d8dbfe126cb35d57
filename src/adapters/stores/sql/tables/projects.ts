import { OPEN_STATUSES } from "../../../../core/task/task.ts";
import { UserError } from "../../../../core/text/errors.ts";
import type { ProjectRemoval } from "../../../../ports/projects.ts";
import type { Project } from "../../../../ports/store.ts";
import type { BaselineResult } from "../../../../core/task/checks/judge-check.ts";
import { toColumns, toFields } from "../columns.ts";
import { fromJson, toJson } from "../json.ts";
import type { Db, Schema, Tx } from "../schema.ts";
import { listTasks } from "./tasks.ts";

export async function keepPipeline(tx: Tx, pipeline: Schema["pipelines"]): Promise<void> {
  await tx
    .insertInto("pipelines")
    .values(pipeline)
    .onConflict((conflict) => conflict.column("hash").doNothing())
    .execute();
}

export async function getPipeline(
  db: Db,
  hash: string,
): Promise<{ readonly name: string; readonly text: string } | null> {
  return (
    (await db.selectFrom("pipelines").select(["name", "text"]).where("hash", "=", hash).executeTakeFirst()) ?? null
  );
}

const BASELINE_MS = 30 * 86_400_000;

export async function keepBaseline(tx: Tx, key: string, project: string, result: BaselineResult): Promise<void> {
  const at = result.measuredAt;
  await tx
    .deleteFrom("baselines")
    .where("at", "<=", at - BASELINE_MS)
    .execute();
  const columns = { project, result: toJson(result), at };
  await tx
    .insertInto("baselines")
    .values({ key, ...columns })
    .onConflict((conflict) => conflict.column("key").doUpdateSet(columns))
    .execute();
}

export async function getBaseline(db: Db, key: string, at: number): Promise<BaselineResult | null> {
  const row = await db
    .selectFrom("baselines")
    .select("result")
    .where("key", "=", key)
    .where("at", ">", at - BASELINE_MS)
    .executeTakeFirst();
  return row === undefined ? null : fromJson(row.result);
}

export async function saveProject(tx: Tx, project: Project): Promise<void> {
  const { name, ...columns } = toColumns(project);
  await tx
    .insertInto("projects")
    .values({ name, ...columns })
    .onConflict((conflict) => conflict.column("name").doUpdateSet(columns))
    .execute();
}

export async function getProject(db: Db, name: string): Promise<Project | null> {
  const row = await db.selectFrom("projects").selectAll().where("name", "=", name).executeTakeFirst();
  return row === undefined ? null : toFields(row);
}

export async function listProjects(db: Db): Promise<readonly Project[]> {
  return (await db.selectFrom("projects").selectAll().orderBy("name").execute()).map(toFields);
}

export async function removeProject(tx: Tx, name: string): Promise<ProjectRemoval> {
  if ((await getProject(tx, name)) === null) return { kind: "unknown" };
  const query = { status: OPEN_STATUSES, state: null, project: name, cursor: null, limit: 1 };
  const [open] = (await listTasks(tx, query)).rows;
  if (open !== undefined) return { kind: "in_use", task: open.id };
  await tx.deleteFrom("projects").where("name", "=", name).execute();
  await tx.deleteFrom("marks").where("project", "=", name).execute();
  await tx.deleteFrom("baselines").where("project", "=", name).execute();
  return { kind: "removed" };
}

export async function requireProject(tx: Tx, name: string): Promise<void> {
  if ((await getProject(tx, name)) !== null) return;
  throw new UserError("not_found", `There is no project "${name}".`, "`nightshift init` in its checkout registers it.");
}
