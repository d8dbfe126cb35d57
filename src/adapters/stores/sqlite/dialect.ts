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
  /** Empty where the statement returns no rows. */
  readonly columns: readonly string[];
}

/** Enough for every query of ours; lists of differing length make a few more texts each. */
const MAX_STATEMENTS = 500;

/**
 * Kysely on `node:sqlite`. There is one connection; that only one query or transaction uses it at a time is
 * Kysely's doing, since SqliteAdapter says that there are no others.
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
  // Immediate: a transaction that reads first and writes later could otherwise find that it may not write.
  const execute = async (text: string): Promise<void> => explaining(file, () => database.exec(text));
  return {
    async init() {},
    acquireConnection: async () => connection,
    beginTransaction: () => execute("begin immediate"),
    commitTransaction: () => execute("commit"),
    async rollbackTransaction() {
      // SQLite rolls back by itself on some errors (a full disk); a second rollback would hide the first error.
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
      // Kysely does not know what may be bound; the schema allows only these.
      const parameters = query.parameters as readonly SqlValue[];
      return explaining(file, () => {
        const { statement, columns } = prepare(query.sql);
        // Kysely derived R from the same query, so the rows have this shape.
        if (columns.length > 0) return { rows: toObjects(columns, statement.all(...parameters)) as R[] };
        return { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) };
      });
    },
    streamQuery() {
      throw new Error("the store streams nothing: it reads pages");
    },
  };
}

/**
 * The objects that `node:sqlite` makes itself are slow to make and to read: with them a list of 10,000 tasks takes
 * a third longer. The cast: rows are arrays since `setReturnArrays`, which the types do not follow.
 */
function toObjects(columns: readonly string[], rows: readonly unknown[]): readonly Readonly<Record<string, unknown>>[] {
  return (rows as readonly (readonly unknown[])[]).map((values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < columns.length; index++) row[columns[index] ?? ""] = values[index];
    return row;
  });
}

function explaining<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explainSqliteError(error, file);
  }
}
