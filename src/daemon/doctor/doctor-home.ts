import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../../adapters/stores/sql/migrations/list.ts";
import { explainSqliteError } from "../../adapters/stores/sqlite/errors.ts";
import { homePaths } from "../../config/files/paths.ts";
import { readUserConfig, type UserConfig } from "../../config/files/user-config.ts";
import { createNodeClient } from "../../http/client/node-client.ts";
import { explainFinding, fine, type Finding } from "./doctor-finding.ts";

const PATIENCE_MS = 3_000;

export interface RegisteredProject {
  readonly name: string;
  readonly path: string | null;
  readonly remote: string;
  readonly accepted: string;
}

export async function checkUserConfig(home: string): Promise<{ finding: Finding; config: UserConfig | null }> {
  const file = homePaths(home).config;
  try {
    const config = await readUserConfig(home);
    const finding = fine("config.yaml", existsSync(file) ? file : `${file} is not there; the defaults hold`);
    return { finding, config };
  } catch (error) {
    return { finding: explainFinding("config.yaml", error), config: null };
  }
}

/**
 * Reads beside a daemon that may be running: a reader neither needs nor touches the lock that makes a daemon the only
 * server of the file.
 */
export function checkDatabase(home: string): { finding: Finding; projects: readonly RegisteredProject[] } {
  const file = homePaths(home).db;
  if (!existsSync(file)) return { finding: fine("database", "not made yet; the first start makes it"), projects: [] };
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: PATIENCE_MS });
    return inspect(database, file);
  } catch (error) {
    return { finding: explainFinding("database", explainSqliteError(error, file)), projects: [] };
  } finally {
    database?.close();
  }
}

function inspect(database: DatabaseSync, file: string): { finding: Finding; projects: readonly RegisteredProject[] } {
  const problems = database
    .prepare("pragma quick_check")
    .all()
    .map((row) => String(row["quick_check"]))
    .filter((text) => text !== "ok");
  if (problems.length > 0)
    return {
      finding: {
        name: "database",
        ok: "no",
        detail: `${file} is damaged: ${problems.slice(0, 3).join("; ")}`,
        fix: "stop the daemon, move the file away and put a backup in its place",
      },
      projects: [],
    };
  const tables = database.prepare("select name from sqlite_schema where name in ('meta', 'projects')").all().length;
  if (tables < 2) return { finding: fine("database", `${file} is empty; the next start fills it`), projects: [] };
  const version = Number(database.prepare("select value from meta where name = 'schema_version'").get()?.["value"]);
  const known = MIGRATIONS.at(-1)?.version ?? 0;
  if (version > known)
    return {
      finding: {
        name: "database",
        ok: "no",
        detail: `${file} has schema version ${version}; this Nightshift knows only up to ${known}`,
        fix: "use the newer Nightshift that wrote it",
      },
      projects: [],
    };
  const projects = database.prepare("select name, path, remote, accepted from projects order by name").all();
  const older = version < known ? `; the next start brings it from version ${version} to ${known}` : "";
  // The columns are those of our own schema, at a version we know.
  return {
    finding: fine(
      "database",
      `${file}, ${projects.length === 1 ? "1 project" : `${projects.length} projects`}${older}`,
    ),
    projects: projects as unknown as readonly RegisteredProject[],
  };
}

export async function checkDaemon(home: string): Promise<Finding> {
  const file = homePaths(home).daemon;
  if (!existsSync(file)) return fine("daemon", "not running; a command that needs it starts it");
  try {
    // Written by the daemon, in a folder only this user can write to.
    const { pid, url, token } = JSON.parse(readFileSync(file, "utf8")) as { pid: number; url: string; token: string };
    const { version } = await createNodeClient({ url, token }).call("GET /status", {
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return fine("daemon", `${version} (pid ${pid}) at ${url}`);
  } catch {
    return {
      name: "daemon",
      ok: "warn",
      detail: "one left its address and does not answer: it was killed, or it hangs",
      fix: "nightshift start",
    };
  }
}
