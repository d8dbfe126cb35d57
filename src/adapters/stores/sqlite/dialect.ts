import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { explainSqliteError } from "./errors.ts";

type SqlValue = null | number | bigint | string;

interface Prepared {
  readonly statement: StatementSync;
  /** Empty if the statement returns no rows. */
  readonly columns: readonly string[];
}

/** Enough for all queries. Lists of different lengths produce several statements each. */
const MAX_STATEMENTS = 500;

/**
 * Kysely dialect for `node:sqlite` with one connection. SqliteAdapter declares that there is only one, so Kysely runs only one
 * query or transaction at a time.
 */
export function nodeSqliteDialect(database: DatabaseSync, file: string): Dialect {
  return {
    createDriver: () => createDriver(database, createConnection(database, file), file),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

function createDriver(database: DatabaseSync, connection: DatabaseConnection, file: string): Driver {
  // Use "immediate", because a transaction that reads first could otherwise fail when it starts to write.
  const execute = async (text: string): Promise<void> => withExplainedErrors(file, () => database.exec(text));
  return {
    async init() {},
    acquireConnection: async () => connection,
    beginTransaction: () => execute("begin immediate"),
    commitTransaction: () => execute("commit"),
    async rollbackTransaction() {
      // SQLite rolls back by itself on some errors, such as a full disk. A second rollback would hide the first error.
      if (database.isTransaction) await execute("rollback");
    },
    async releaseConnection() {},
    async destroy() {
      database.close();
    },
  };
}

function createConnection(database: DatabaseSync, file: string): DatabaseConnection {
  const statements = new Map<string, Prepared>();

  function prepare(text: string): Prepared {
    const known = statements.get(text);
    if (known !== undefined) return known;
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    const statement = database.prepare(text);
    const prepared = { statement, columns: statement.columns().map((column) => column.name) };
    statement.setReturnArrays(true);
    statements.set(text, prepared);
    return prepared;
  }

  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      // The cast is safe: the schema allows only types that SQLite can bind.
      const parameters = query.parameters as readonly SqlValue[];
      return withExplainedErrors(file, () => {
        const { statement, columns } = prepare(query.sql);
        // The cast is safe: Kysely derived R from the same query.
        if (columns.length > 0) return { rows: toObjects(columns, statement.all(...parameters)) as R[] };
        return { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) };
      });
    },
    streamQuery() {
      throw new Error("streaming is not supported; the store reads pages");
    },
  };
}

/**
 * Row objects of `node:sqlite` are slow: with them, a list of 10,000 tasks takes a third longer. The cast is safe, because
 * rows are arrays after `setReturnArrays`, which the types do not express.
 */
function toObjects(columns: readonly string[], rows: readonly unknown[]): readonly Readonly<Record<string, unknown>>[] {
  return (rows as readonly (readonly unknown[])[]).map((values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < columns.length; index++) row[columns[index] ?? ""] = values[index];
    return row;
  });
}

function withExplainedErrors<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explainSqliteError(error, file);
  }
}
