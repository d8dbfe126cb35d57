import type { ColumnDataType, ColumnDefinitionBuilder, CreateTableBuilder } from "kysely";
import type { Differences } from "../differences.ts";
import type { Tx } from "../schema.ts";

type Plain = "text" | "integer" | "bigint" | "double precision";

/** `id` is a text primary key, `identity` is numbered by the database, and a question mark makes a column nullable. */
type Column = "id" | "identity" | Plain | `${Plain}?`;

/** Creates a table from a list of columns, so that a migration reads like the schema. */
export function createTable(
  tx: Tx,
  differences: Differences,
  name: string,
  columns: Readonly<Record<string, Column>>,
): CreateTableBuilder<string, string> {
  let table: CreateTableBuilder<string, string> = tx.schema.createTable(name);
  for (const [column, written] of Object.entries(columns)) {
    table = table.addColumn(column, typeOf(written, differences), (definition) =>
      define(definition, written, differences),
    );
  }
  return table;
}

function typeOf(written: Column, differences: Differences): ColumnDataType {
  if (written === "id") return "text";
  if (written === "identity") return differences.identityType;
  // The cast is safe: without its question mark, a Column is one of the plain types.
  return written.replace("?", "") as Plain;
}

function define(
  definition: ColumnDefinitionBuilder,
  written: Column,
  differences: Differences,
): ColumnDefinitionBuilder {
  if (written === "id") return differences.collate(definition.primaryKey().notNull());
  if (written === "identity") return differences.identity(definition);
  return written.endsWith("?") ? definition : definition.notNull();
}

export async function createIndex(tx: Tx, table: string, columns: readonly string[]): Promise<void> {
  await named(tx, table, columns).execute();
}

export async function createUniqueIndex(tx: Tx, table: string, columns: readonly string[]): Promise<void> {
  await named(tx, table, columns).unique().execute();
}

function named(tx: Tx, table: string, columns: readonly string[]) {
  return tx.schema
    .createIndex(`${table}_by_${columns.join("_").replaceAll(" ", "_")}`)
    .on(table)
    .columns([...columns]);
}
