import { existsSync, readFileSync } from "node:fs";
import { delimiter } from "node:path";
import type { AgentDefinition } from "../../adapters/agents/definition.ts";
import { homePaths } from "../../config/files/paths.ts";
import { listFolders, readRecordedPath, mergePaths, type RecordedPath } from "../../config/files/recorded-path.ts";
import { detectAgents } from "../detect/detect.ts";
import { readLoginPath, type LoginPath } from "../detect/detect-login-path.ts";
import { fine, type Finding } from "./doctor-finding.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const NAME = "login PATH";
const RECORD_AGAIN = "nightshift start records it again, even while the daemon runs";

/** Checks that a daemon started by the system, with a minimal PATH, finds the same programs as the user's shell. */
export async function checkLoginPath(
  home: string,
  env: Environment,
  agents: readonly AgentDefinition[],
  readShellPath: (env: Environment) => Promise<LoginPath> = readLoginPath,
): Promise<readonly Finding[]> {
  const recorded = readRecordedPath(home);
  const current = await readShellPath(env);
  const daemon = mergePaths(readDaemonPath(home), recorded?.path ?? "");
  return [checkRecord(recorded, current), ...(await compareAgents(current.path ?? "", daemon, agents))];
}

function checkRecord(recorded: RecordedPath | null, current: LoginPath): Finding {
  if (recorded === null)
    return {
      name: NAME,
      ok: "warn",
      detail: "not recorded: a daemon started by the system would not find the programs that your shell finds",
      fix: "nightshift start records it",
    };
  if (current.path === null)
    return {
      name: NAME,
      ok: "warn",
      detail: `the PATH of your login shell cannot be read: ${current.problem}; the record of ${formatDay(recorded)} is used`,
      fix: "repair the startup files of your shell",
    };
  const known = listFolders(recorded.path);
  const added = listFolders(current.path).filter((folder) => !known.includes(folder) && existsSync(folder));
  if (added.length > 0)
    return {
      name: NAME,
      ok: "warn",
      detail: `outdated: recorded on ${formatDay(recorded)}; since then your shell has added ${added.join(delimiter)}`,
      fix: RECORD_AGAIN,
    };
  const from = recorded.from === "shell" ? recorded.shell : "the command that recorded it";
  return fine(NAME, `${known.length} folders, recorded on ${formatDay(recorded)} from ${from}`);
}

/** Warns about agents that the user's shell finds but the daemon does not. */
async function compareAgents(
  shell: string,
  daemon: string,
  agents: readonly AgentDefinition[],
): Promise<readonly Finding[]> {
  const [inShell, inDaemon] = await Promise.all([
    detectAgents({ PATH: shell }, agents),
    detectAgents({ PATH: daemon }, agents),
  ]);
  const missing = inShell.filter((agent) => !inDaemon.includes(agent));
  if (missing.length === 0) return [];
  const detail = `your login shell finds ${missing.join(", ")}, but neither the daemon's PATH nor the recorded PATH does`;
  return [{ name: "daemon PATH", ok: "warn", detail, fix: RECORD_AGAIN }];
}

/** The PATH of a system service. Used if no daemon is running. */
const SERVICE_PATH = "/usr/local/bin:/usr/bin:/bin";

function readDaemonPath(home: string): string {
  try {
    const found: unknown = JSON.parse(readFileSync(homePaths(home).daemon, "utf8"));
    if (typeof found === "object" && found !== null && "path" in found) return String(found.path);
  } catch {
    // No daemon is running, or the file is invalid.
  }
  return SERVICE_PATH;
}

function formatDay({ recordedAt }: RecordedPath): string {
  return new Date(recordedAt).toISOString().slice(0, 10);
}
