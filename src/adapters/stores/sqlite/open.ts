import { closeSync, existsSync, openSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { UserError } from "../../../core/text/errors.ts";
import type { Log } from "../../../ports/log.ts";
import type { Store } from "../../../ports/store.ts";
import type { Differences } from "../sql/differences.ts";
import { migrate } from "../sql/migrate.ts";
import { MIGRATIONS } from "../sql/migrations/list.ts";
import type { Migration } from "../sql/migrations/migration.ts";
import type { Db, Schema } from "../sql/schema.ts";
import { createSqlStore } from "../sql/store.ts";
import { nodeSqliteDialect } from "./dialect.ts";
import { explainSqliteError, isBusy } from "./errors.ts";
import { acquireLock } from "./lock.ts";
import { backupTo, checkIntegrity, replaceBackup } from "./upkeep.ts";

const MEMORY = ":memory:";
const LOCK_TIMEOUT_MS = 5000;

export interface OpenSqliteParams {
  /** `:memory:` for a store that is lost when the process exits. */
  readonly file: string;
  /** Default: `<file>.lock`. */
  readonly lockFile?: string;
  readonly log: Log;
  /** Tests of migrations use their own. */
  readonly migrations?: readonly Migration[];
}

export async function openSqliteStore(params: OpenSqliteParams): Promise<Store> {
  const { log, migrations = MIGRATIONS } = params;
  const file = resolveFile(params.file);
  const release = file === MEMORY ? () => {} : acquireLock(file, params.lockFile ?? `${file}.lock`);
  try {
    const database = openDatabase(file);
    try {
      return await openStore({ database, file, log, migrations, release });
    } catch (error) {
      if (database.isOpen) database.close();
      throw error;
    }
  } catch (error) {
    release();
    throw error;
  }
}

/** Resolves symbolic links, because a lock beside a link would not protect the file itself. */
function resolveFile(file: string): string {
  if (file === MEMORY) return file;
  if (!existsSync(dirname(file))) {
    throw new UserError("unavailable", `The directory of ${file} does not exist.`, "Create it, or use another file.");
  }
  if (!existsSync(file)) return file;
  if (statSync(file).isFile()) return realpathSync(file);
  throw new UserError("unavailable", `${file} is not a file.`, "Use a file for the database.");
}

export function openDatabase(file: string): DatabaseSync {
  if (file !== MEMORY) createPrivately(file);
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
    // With less than "full" in WAL mode, a power loss could lose the last commits.
    database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on");
    return database;
  } catch (error) {
    database?.close();
    throw explainSqliteError(error, file);
  }
}

/** The database contains texts of agents and people, so it is private. SQLite uses the same mode for its other files. */
function createPrivately(file: string): void {
  if (existsSync(file)) return;
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    throw new UserError(
      "unavailable",
      `Cannot create ${file} (${String(error)}).`,
      "Make its directory writable for this user.",
    );
  }
}

const differences: Differences = {
  identityType: "integer",
  identity: (column) => column.primaryKey().autoIncrement().notNull(),
  collate: (column) => column,
  // Nothing to do: `begin immediate` has already locked the database.
  serialize: async () => {},
  isLocked: (error) => error instanceof Error && isBusy(error.cause),
};

export interface OpenStoreParams {
  readonly database: DatabaseSync;
  readonly file: string;
  readonly log: Log;
  readonly migrations: readonly Migration[];
  readonly release: () => void;
  /** Default: 5 seconds. */
  readonly lockTimeoutMs?: number;
}

export async function openStore({
  database,
  file,
  log,
  migrations,
  release,
  lockTimeoutMs = LOCK_TIMEOUT_MS,
}: OpenStoreParams): Promise<Store> {
  const db: Db = new Kysely<Schema>({ dialect: nodeSqliteDialect(database, file) });
  const { from, to } = await migrate({
    db,
    differences,
    migrations,
    where: file,
    async backup(version) {
      const copy = `${file}.backup-v${version}`;
      await replaceBackup(db, copy);
      log.info("backed up the database before migrating it", { file: copy, version });
    },
  });
  if (from !== to) log.info("migrated the database", { from, to });
  // SQLite would wait for locks of other programs without returning to the event loop. The writer retries instead.
  database.exec("pragma busy_timeout = 0");

  async function close(): Promise<void> {
    try {
      await sql`pragma wal_checkpoint(truncate)`.execute(db);
    } catch (error) {
      // The data is safe in the write-ahead log. The next start applies it.
      log.warn("could not checkpoint the database", { error: String(error) });
    }
    await db.destroy();
    release();
  }

  let closing: Promise<void> | null = null;
  return createSqlStore({
    db,
    differences,
    log,
    lockTimeoutMs,
    upkeep: {
      checkIntegrity: () => checkIntegrity(db),
      backup: (copy) => backupTo(db, copy),
      close: () => (closing ??= close()),
    },
  });
}
