import type { Project } from "../../../ports/store.ts";
import type { Db, Schema, Tx } from "./schema.ts";

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

export async function saveProject(tx: Tx, project: Project): Promise<void> {
  const { name, ...columns } = toRow(project);
  await tx
    .insertInto("projects")
    .values({ name, ...columns })
    .onConflict((conflict) => conflict.column("name").doUpdateSet(columns))
    .execute();
}

export async function getProject(db: Db, name: string): Promise<Project | null> {
  const row = await db.selectFrom("projects").selectAll().where("name", "=", name).executeTakeFirst();
  return row === undefined ? null : toProject(row);
}

export async function listProjects(db: Db): Promise<readonly Project[]> {
  return (await db.selectFrom("projects").selectAll().orderBy("name").execute()).map(toProject);
}

export async function removeProject(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom("projects").where("name", "=", name).execute();
  await tx.deleteFrom("marks").where("project", "=", name).execute();
}

function toRow(project: Project): Schema["projects"] {
  return {
    name: project.name,
    path: project.path,
    remote: project.remote,
    default_branch: project.defaultBranch,
    accepted: project.accepted,
    accepted_by: project.acceptedBy,
    accepted_at: project.acceptedAt,
  };
}

function toProject(row: Schema["projects"]): Project {
  return {
    name: row.name,
    path: row.path,
    remote: row.remote,
    defaultBranch: row.default_branch,
    accepted: row.accepted,
    acceptedBy: row.accepted_by,
    acceptedAt: row.accepted_at,
  };
}
