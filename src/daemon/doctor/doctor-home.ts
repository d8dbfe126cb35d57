import { existsSync, readFileSync } from "node:fs";
import { inspectDatabase, type InspectedProject, type Inspection } from "../../adapters/stores/sqlite/inspect.ts";
import { homePaths } from "../../config/files/paths.ts";
import { readUserConfig, type UserConfig } from "../../config/files/user-config.ts";
import type { ConfigFormat } from "../../config/parse/parse-config.ts";
import { createNodeClient } from "../../http/client/node-client.ts";
import { explainFinding, fine, forNight, type Finding } from "./doctor-finding.ts";

const STATUS_TIMEOUT_MS = 3_000;
/** The daemon tries remotes, forges and channels, which have limits of their own. */
const DOCTOR_TIMEOUT_MS = 180_000;
/** The project limits how long its checks may take. */
const CHECKS_TIMEOUT_MS = 2 * 3_600_000;

export type RegisteredProject = InspectedProject;

export async function checkUserConfig(
  home: string,
  format: ConfigFormat,
): Promise<{ finding: Finding; config: UserConfig | null }> {
  const file = homePaths(home).config;
  try {
    const config = await readUserConfig(home, format);
    const finding = fine("config.yaml", existsSync(file) ? file : `${file} does not exist; the defaults apply`);
    return { finding, config };
  } catch (error) {
    return { finding: forNight("settings", explainFinding("config.yaml", error)), config: null };
  }
}

export function checkDatabase(home: string): { finding: Finding; projects: readonly RegisteredProject[] } {
  const file = homePaths(home).db;
  try {
    const inspection = inspectDatabase(file);
    return {
      finding: describe(inspection, file),
      projects: inspection.kind === "usable" ? inspection.projects : [],
    };
  } catch (error) {
    return { finding: explainFinding("database", error), projects: [] };
  }
}

function describe(inspection: Inspection, file: string): Finding {
  switch (inspection.kind) {
    case "missing":
      return fine("database", "does not exist yet; the first start creates it");
    case "empty":
      return fine("database", `${file} is empty; the next start creates its tables`);
    case "damaged":
      return {
        name: "database",
        ok: "no",
        detail: `${file} is damaged: ${inspection.problems.slice(0, 3).join("; ")}`,
        fix: "stop the daemon and replace the file with a backup",
      };
    case "newer":
      return {
        name: "database",
        ok: "no",
        detail: `${file} has schema version ${inspection.version}; this version of Nightshift supports up to ${inspection.known}`,
        fix: "use the newer version of Nightshift that wrote it",
      };
    case "usable": {
      const { version, known, projects } = inspection;
      const older = version < known ? `; the next start migrates it from version ${version} to ${known}` : "";
      return fine(
        "database",
        `${file}, ${projects.length === 1 ? "1 project" : `${projects.length} projects`}${older}`,
      );
    }
  }
}

/** What a running daemon says about itself. `findings` is null if none runs, or if it cannot answer. */
export interface DaemonAnswer {
  readonly finding: Finding;
  readonly findings: readonly Finding[] | null;
}

export interface DaemonQuestion {
  readonly cwd: string;
  /** Run the project's checks. */
  readonly run: boolean;
  /** The version of the caller. Null: do not compare it. */
  readonly version: string | null;
}

const SHELL_VIEW = "What follows describes this shell, whose environment a daemon started here would inherit.";

/** Asks the running daemon what it sees: its PATH, keys and agents count at night, not those of this shell. */
export async function askDaemon(home: string, { cwd, run, version: expected }: DaemonQuestion): Promise<DaemonAnswer> {
  const file = homePaths(home).daemon;
  if (!existsSync(file))
    return {
      finding: fine("daemon", `not running; commands start it when they need it. ${SHELL_VIEW}`),
      findings: null,
    };
  try {
    // Written by the daemon, in a folder that only this user can write to.
    const { pid, url, token } = JSON.parse(readFileSync(file, "utf8")) as { pid: number; url: string; token: string };
    const client = createNodeClient({ url, token });
    const { version, problems } = await client.call("GET /status", { signal: AbortSignal.timeout(STATUS_TIMEOUT_MS) });
    // A port that is not the expected one, for example. The findings below say more about most other problems.
    const detail = [`${version} (pid ${pid}) at ${url}`, ...problems.filter((each) => each.startsWith("Port "))].join(
      "\n",
    );
    try {
      const { findings } = await client.call("GET /doctor", {
        query: { path: cwd, run: String(run) },
        signal: AbortSignal.timeout(run ? CHECKS_TIMEOUT_MS : DOCTOR_TIMEOUT_MS),
      });
      return { finding: forNight("daemon", describeDaemon(detail, version, expected), true), findings };
    } catch (error) {
      const problem = `${detail}; it does not say what it sees: ${error instanceof Error ? error.message : String(error)} ${SHELL_VIEW}`;
      const fix = "nightshift stop && nightshift start";
      return { finding: forNight("daemon", { name: "daemon", ok: "warn", detail: problem, fix }), findings: null };
    }
  } catch {
    const detail = `daemon.json exists, but the daemon does not respond: it was killed or hangs. ${SHELL_VIEW}`;
    return { finding: { name: "daemon", ok: "warn", detail, fix: "nightshift start" }, findings: null };
  }
}

/** After an update, the daemon of the previous version keeps running. */
function describeDaemon(detail: string, version: string, expected: string | null): Finding {
  const seen = `${detail}. What follows is what it sees.`;
  if (expected === null || version === expected) return fine("daemon", seen);
  const fix = "nightshift stop && nightshift start; running agents continue";
  return { name: "daemon", ok: "warn", detail: `${seen}\nThis command has version ${expected}.`, fix };
}
