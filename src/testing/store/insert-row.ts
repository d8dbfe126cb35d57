import type { DatabaseSync } from "node:sqlite";

type Values = Readonly<Record<string, string | number | null>>;

/** Inserts a row of an older schema, which this version cannot write any more. Columns without a value get an empty one. */
export function insertRow(database: DatabaseSync, table: string, given: Values): void {
  const columns = database.prepare(`select name, type, "notnull" as needed from pragma_table_info('${table}')`).all();
  const row = columns.map(({ name, type, needed }) => {
    const value = given[String(name)];
    return value ?? (needed === 1 ? (type === "text" ? "" : 0) : null);
  });
  database.prepare(`insert into ${table} values (${row.map(() => "?").join(", ")})`).run(...row);
}
