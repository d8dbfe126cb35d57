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
const AGAIN = "nightshift start records it anew, also while the daemon runs";

/** Whether a daemon that the system starts, with next to no PATH, would find what the person's own shell finds. */
export async function checkLoginPath(
  home: string,
  env: Environment,
  agents: readonly AgentDefinition[],
  ask: (env: Environment) => Promise<LoginPath> = readLoginPath,
): Promise<readonly Finding[]> {
  const recorded = readRecordedPath(home);
  const now = await ask(env);
  const daemon = mergePaths(readDaemonPath(home), recorded?.path ?? "");
  return [judgeRecord(recorded, now), ...(await compareAgents(now.path ?? "", daemon, agents))];
}

function judgeRecord(recorded: RecordedPath | null, now: LoginPath): Finding {
  if (recorded === null)
    return {
      name: NAME,
      ok: "warn",
      detail: "not recorded: a daemon that the system starts would not find what your shell does",
      fix: "nightshift start records it",
    };
  if (now.path === null)
    return {
      name: NAME,
      ok: "warn",
      detail: `your login shell does not say its PATH now: ${now.problem}; what was recorded on ${dayOf(recorded)} is used`,
      fix: "repair what your shell runs when it starts",
    };
  const known = listFolders(recorded.path);
  const lacks = listFolders(now.path).filter((folder) => !known.includes(folder) && existsSync(folder));
  if (lacks.length > 0)
    return {
      name: NAME,
      ok: "warn",
      detail: `old: recorded on ${dayOf(recorded)}, and your shell has ${lacks.join(delimiter)} since`,
      fix: AGAIN,
    };
  const from = recorded.from === "shell" ? recorded.shell : "the command that recorded it";
  return fine(NAME, `${known.length} folders, recorded on ${dayOf(recorded)} from ${from}`);
}

/** An agent that only the person's shell finds works in the evening and is missing at night. */
async function compareAgents(
  shell: string,
  daemon: string,
  agents: readonly AgentDefinition[],
): Promise<readonly Finding[]> {
  const [here, there] = await Promise.all([
    detectAgents({ PATH: shell }, agents),
    detectAgents({ PATH: daemon }, agents),
  ]);
  const missing = here.filter((agent) => !there.includes(agent));
  if (missing.length === 0) return [];
  const detail = `your login shell finds ${missing.join(", ")}; neither the daemon's PATH nor the recorded one does`;
  return [{ name: "daemon PATH", ok: "warn", detail, fix: AGAIN }];
}

/** What a service is given at the least, where no daemon says what it has. */
const BARE_PATH = "/usr/local/bin:/usr/bin:/bin";

function readDaemonPath(home: string): string {
  try {
    const found: unknown = JSON.parse(readFileSync(homePaths(home).daemon, "utf8"));
    if (typeof found === "object" && found !== null && "path" in found) return String(found.path);
  } catch {
    // None runs, or it is not ours to understand.
  }
  return BARE_PATH;
}

function dayOf({ recordedAt }: RecordedPath): string {
  return new Date(recordedAt).toISOString().slice(0, 10);
}
