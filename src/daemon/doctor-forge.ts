import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "../core/settings.ts";
import type { Forge, GitCredentials } from "../ports/forge.ts";
import { explainFinding, fine, type Finding } from "./doctor-finding.ts";
import type { RegisteredProject } from "./doctor-home.ts";
import { checkRemote } from "./doctor-remote.ts";
import { findForge } from "./wire-forges.ts";

const PATIENCE_MS = 20_000;

export interface CheckForgeParams {
  readonly project: RegisteredProject;
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly triesPush: boolean;
}

/** What git would be given to push there; null where it has its own ways. */
export function findCredentials({
  remote,
  settings,
  env,
}: {
  readonly remote: string;
  readonly settings: Settings;
  readonly env: CheckForgeParams["env"];
}): GitCredentials | null {
  try {
    return findForge(env)({ remote }, settings)?.credentialsFor(remote) ?? null;
  } catch {
    // Why there is no forge has a finding of its own.
    return null;
  }
}

/** Whether a change request could be opened tonight: the token, what it may do, and the push. */
export async function checkForge(params: CheckForgeParams): Promise<readonly Finding[]> {
  const { project, settings, env, triesPush } = params;
  const name = `forge (${project.name})`;
  let forge: Forge | null;
  try {
    forge = findForge(env)(project, settings);
  } catch (error) {
    return [explainFinding(name, error)];
  }
  if (forge === null) return [];
  const credentials = forge.credentialsFor(project.remote);
  const [ofToken, ofPush] = await Promise.all([
    checkToken(name, forge),
    triesPush ? checkRemote(project.remote, credentials) : [],
  ]);
  return [ofToken, ...ofPush.map((finding) => ({ ...finding, name: `${finding.name} (${project.name})` }))];
}

async function checkToken(name: string, forge: Forge): Promise<Finding> {
  const late = new AbortController();
  const silence = sleep(PATIENCE_MS, [`${forge.place} does not answer.`], { signal: late.signal, ref: false });
  try {
    const problems = await Promise.race([forge.check(), silence]);
    if (problems.length === 0) return fine(name, `${forge.place}: the token may push and open change requests`);
    return { name, ok: "no", detail: problems.join("\n"), fix: null };
  } catch (error) {
    return explainFinding(name, error);
  } finally {
    silence.catch(() => undefined);
    late.abort();
  }
}
