import type { DocumentKind, TaskDocument } from "../../../../core/task/documents/document.ts";
import { fromJson, toJson } from "../json.ts";
import type { Db, Tx } from "../schema.ts";

/** A version that was stored before a crash is not stored twice. */
export async function saveDocument(tx: Tx, task: string, document: TaskDocument): Promise<void> {
  const { content, ...columns } = document;
  const values = { ...columns, content: toJson(content) };
  await tx
    .insertInto("documents")
    .values({ task, ...values })
    .onConflict((conflict) => conflict.columns(["task", "kind", "version"]).doUpdateSet(values))
    .execute();
}

/** Version null is the newest one. */
export async function getDocument(
  db: Db,
  task: string,
  kind: DocumentKind,
  version: number | null,
): Promise<TaskDocument | null> {
  let select = db
    .selectFrom("documents")
    .selectAll()
    .where("task", "=", task)
    .where("kind", "=", kind)
    .orderBy("version", "desc")
    .limit(1);
  if (version !== null) select = select.where("version", "=", version);
  const row = await select.executeTakeFirst();
  if (row === undefined) return null;
  const { id: _id, task: _task, content, ...document } = row;
  return { ...document, content: fromJson(content) };
}
