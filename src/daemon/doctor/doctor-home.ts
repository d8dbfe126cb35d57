import { existsSync, readFileSync } from "node:fs";
import { inspectDatabase, type InspectedProject, type Inspection } from "../../adapters/stores/sqlite/inspect.ts";
import { homePaths } from "../../config/files/paths.ts";
import { readUserConfig, type UserConfig } from "../../config/files/user-config.ts";
import type { ConfigFormat } from "../../config/parse/parse-config.ts";
import { createNodeClient } from "../../http/client/node-client.ts";
import { explainFinding, fine, type Finding } from "./doctor-finding.ts";

const DAEMON_TIMEOUT_MS = 3_000;

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
    return { finding: explainFinding("config.yaml", error), config: null };
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

export async function checkDaemon(home: string): Promise<Finding> {
  const file = homePaths(home).daemon;
  if (!existsSync(file)) return fine("daemon", "not running; commands start it when they need it");
  try {
    // Written by the daemon, in a folder that only this user can write to.
    const { pid, url, token } = JSON.parse(readFileSync(file, "utf8")) as { pid: number; url: string; token: string };
    const { version } = await createNodeClient({ url, token }).call("GET /status", {
      signal: AbortSignal.timeout(DAEMON_TIMEOUT_MS),
    });
    return fine("daemon", `${version} (pid ${pid}) at ${url}`);
  } catch {
    return {
      name: "daemon",
      ok: "warn",
      detail: "daemon.json exists, but the daemon does not respond: it was killed or hangs",
      fix: "nightshift start",
    };
  }
}
