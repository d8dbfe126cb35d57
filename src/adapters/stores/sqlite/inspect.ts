import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Project } from "../../../ports/store.ts";
import { MIGRATIONS } from "../sql/migrations/list.ts";
import { explainSqliteError } from "./errors.ts";

export type InspectedProject = Pick<Project, "name" | "path" | "remote" | "accepted">;

export type Inspection =
  | { readonly kind: "missing" }
  /** The file exists, but no daemon has written the schema yet. */
  | { readonly kind: "empty" }
  | { readonly kind: "damaged"; readonly problems: readonly string[] }
  /** A newer Nightshift wrote it. */
  | { readonly kind: "newer"; readonly version: number; readonly known: number }
  | {
      readonly kind: "usable";
      readonly version: number;
      /** The version that the next start of the daemon migrates to. */
      readonly known: number;
      readonly projects: readonly InspectedProject[];
    };

export interface FailedDeliveries {
  readonly tries: number;
  /** When the oldest undelivered notice was written. */
  readonly since: number;
  readonly lastError: string;
}

const BUSY_TIMEOUT_MS = 3_000;

/**
 * Looks at a database without opening it as a store: it works with or without a running daemon, takes no lock and does
 * not migrate. Throws a UserError if the file cannot be read.
 */
export function inspectDatabase(file: string): Inspection {
  return existsSync(file) ? readOnly(file, inspect) : { kind: "missing" };
}

/** The tries to reach a channel since it last worked. Null if there are none, or if the file cannot be read. */
export function findFailedDeliveries(file: string, project: string, channel: string): FailedDeliveries | null {
  if (!existsSync(file)) return null;
  try {
    return readOnly(file, (database) => {
      const row = database.prepare(FAILED_DELIVERIES).get({ project, channel });
      const tries = Number(row?.["tries"] ?? 0);
      return tries === 0 ? null : { tries, since: Number(row?.["since"]), lastError: String(row?.["error"]) };
    });
  } catch {
    // Either an older schema or a broken file: `inspectDatabase` reports both.
    return null;
  }
}

function readOnly<T>(file: string, read: (database: DatabaseSync) => T): T {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    return read(database);
  } catch (error) {
    throw explainSqliteError(error, file);
  } finally {
    database?.close();
  }
}

function inspect(database: DatabaseSync): Inspection {
  const problems = database
    .prepare("pragma quick_check")
    .all()
    .map((row) => String(row["quick_check"]))
    .filter((text) => text !== "ok");
  if (problems.length > 0) return { kind: "damaged", problems };
  const tables = database.prepare("select name from sqlite_schema where name in ('meta', 'projects')").all().length;
  if (tables < 2) return { kind: "empty" };
  const version = Number(database.prepare("select value from meta where name = 'schema_version'").get()?.["value"]);
  const known = MIGRATIONS.at(-1)?.version ?? 0;
  if (version > known) return { kind: "newer", version, known };
  const projects = database.prepare("select name, path, remote, accepted from projects order by name").all();
  // The columns are those of our own schema, at a version we know.
  return { kind: "usable", version, known, projects: projects as unknown as readonly InspectedProject[] };
}

const FAILED_DELIVERIES = `
  with failed as (
    select id, attempts, at, error from notices
    where project = :project and channel = :channel and attempts > 0 and delivered_at is null
      and id > coalesce((select id from notices
        where project = :project and channel = :channel and delivered_at is not null
        order by id desc limit 1), 0)
  )
  select sum(attempts) as tries, min(at) as since, (select error from failed order by id desc limit 1) as error
  from failed
`;
