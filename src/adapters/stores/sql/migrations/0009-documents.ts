import { sql } from "kysely";
import type { ContextEntry, ContextSource } from "../../../../core/task/documents/context-entry.ts";
import { fromJson, toJson } from "../json.ts";
import type { Tx } from "../schema.ts";
import type { Migration } from "./migration.ts";
import { createIndex, createTable, createUniqueIndex } from "./table.ts";

/** Adds documents with versions, subtasks, deadlines of questions, and the source of context entries. */
export const documents: Migration = {
  version: 9,
  async up(tx, differences) {
    const tasks = tx.schema.alterTable("tasks");
    await tasks.addColumn("documents", "text", (column) => column.notNull().defaultTo("[]")).execute();
    await tasks.addColumn("subtasks", "text", (column) => column.notNull().defaultTo("[]")).execute();
    await tasks.addColumn("deadline_at", "bigint").execute();
    await createIndex(tx, "tasks", ["deadline_at"]);
    await createTable(tx, differences, "documents", {
      id: "identity",
      task: "text",
      kind: "text",
      version: "integer",
      hash: "text",
      run: "text",
      at: "bigint",
      content: "text",
    })
      .addForeignKeyConstraint("documents_of_task", ["task"], "tasks", ["id"], (key) => key.onDelete("cascade"))
      .execute();
    await createUniqueIndex(tx, "documents", ["task", "kind", "version"]);
    await convertContext(tx);
  },
};

interface OldEntry {
  readonly kind: ContextEntry["kind"];
  readonly text: string;
  readonly run: string;
  readonly at: number;
}

async function convertContext(tx: Tx): Promise<void> {
  const { rows } = await sql<{ id: string; context: string }>`
    select id, context from tasks where context <> '[]'
  `.execute(tx);
  for (const { id, context } of rows) {
    const entries = fromJson<readonly OldEntry[]>(context).map(({ kind, text, run, at }): ContextEntry => ({
      kind,
      source: sourceOf(kind),
      summary: text,
      data: {},
      run,
      at,
    }));
    await sql`update tasks set context = ${toJson(entries)} where id = ${id}`.execute(tx);
  }
}

function sourceOf(kind: ContextEntry["kind"]): ContextSource {
  return kind.startsWith("review_") ? "reviewer" : "agent";
}
