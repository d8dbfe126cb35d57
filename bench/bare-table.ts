import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { BenchEnvironment } from "./environment.ts";

/** A table on the same disk with the daemon's settings for durability. */
export function openBareTable({ root }: BenchEnvironment) {
  const database = new DatabaseSync(join(root, "bare.db"));
  database.exec("pragma journal_mode = wal; pragma synchronous = full; create table tasks (id integer, text text)");
  const statement = database.prepare("insert into tasks values (?, ?)");
  return {
    // SQLite has one writer at a time, so the inserts of all clients are executed one after the other.
    insert: (index: number) => void statement.run(index, "x".repeat(1_000)),
    close: () => database.close(),
  };
}
