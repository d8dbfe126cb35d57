import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { builtInAgents, describeAgents, type AgentDescription } from "../../adapters/agents/create-agent.ts";
import type { AgentDefinition } from "../../adapters/agents/definition.ts";
import { explainNotExecutable } from "../../adapters/sandboxes/grants/is-program.ts";
import { describeKeys, findModelAccess } from "../../policy/access/model-access.ts";
import type { AgentSettings } from "../../core/settings/settings.ts";
import type { EnginePorts } from "../../engine/ports.ts";
import type { AgentInfo } from "../../http/deps.ts";
import type { AgentProgram } from "../../ports/agent.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Every agent that a registered project could use, or a first one, and whether it is there. */
export async function findAgents(
  definitions: readonly AgentDefinition[],
  ports: Pick<EnginePorts, "store" | "projects" | "host" | "log">,
): Promise<readonly AgentInfo[]> {
  const configured: Record<string, AgentSettings> = builtInAgents(definitions);
  for (const project of await ports.store.projects.listProjects())
    try {
      Object.assign(configured, (await ports.projects.settings(project)).agents);
    } catch (error) {
      ports.log.warn("the settings of a project cannot be read", { project: project.name, error: String(error) });
    }
  return Promise.all(describeAgents(definitions, configured).map((agent) => lookForAgent(agent, ports.host.env)));
}

export async function lookForAgent(agent: AgentDescription, env: Environment): Promise<AgentInfo> {
  const { name, kind, program, problem } = agent;
  const base = { name, kind, version: null, parkedUntil: null };
  if (problem !== null || program === null)
    return { ...base, program: program?.name ?? null, usable: problem === null, problem };
  const path = await findProgram(program.name, env["PATH"] ?? "");
  if (path === null) {
    const why = isAbsolute(program.name) ? explainNotExecutable(program.name) : null;
    const missing = `${program.name} ${why ?? `is not on the daemon's PATH. ${program.install}`}`;
    return { ...base, program: program.name, usable: false, problem: missing };
  }
  const version = program.versionArgs.length === 0 ? null : await askVersion(path, program.versionArgs, env);
  const trouble = tooOld(program, version) ?? noKey(agent, env);
  return { ...base, program: path, version, usable: trouble === null, problem: trouble };
}

/** What a program says of its version, asked once for each program that stands there. */
export function createVersionCheck(env: Environment): EnginePorts["agents"]["checkVersion"] {
  const known = new Map<string, Promise<string | null>>();
  return async ({ program }) => {
    if (program === null || program.versionArgs.length === 0) return { version: null, problem: null };
    const path = await findProgram(program.name, env["PATH"] ?? "");
    // Whoever starts it says so better.
    if (path === null) return { version: null, problem: null };
    const key = `${path} ${(await stat(path)).mtimeMs}`;
    const asked = known.get(key) ?? askVersion(path, program.versionArgs, env);
    known.set(key, asked);
    const version = await asked;
    // It may have been slow, or broken for a moment: the next run asks again.
    if (version === null) known.delete(key);
    return { version, problem: tooOld(program, version) };
  };
}

/** Some need seconds for it, and many times that where much else goes on. */
const PATIENCE_MS = 60_000;

/** Null when it does not say. It gets nothing of ours but what it needs to start. */
function askVersion(path: string, args: readonly string[], env: Environment): Promise<string | null> {
  return new Promise((done) => {
    const clean = { PATH: env["PATH"], HOME: env["HOME"], DISABLE_AUTOUPDATER: "1" };
    execFile(path, [...args], { env: clean, timeout: PATIENCE_MS }, (error, stdout) =>
      done(error === null ? (/\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? null) : null),
    );
  });
}

function tooOld({ name, oldest, install }: AgentProgram, version: string | null): string | null {
  if (oldest === null) return null;
  if (version === null) return `${name} does not say its version; ${oldest} or newer is needed. ${install}`;
  if (version.localeCompare(oldest, "en", { numeric: true }) >= 0) return null;
  return `${name} is ${version}; ${oldest} or newer is needed. ${install}`;
}

function noKey({ gateway }: AgentDescription, env: Environment): string | null {
  if (gateway === null || findModelAccess(gateway, env) !== null) return null;
  return `there is no key for it: set ${describeKeys(gateway)} where the daemon is started`;
}

async function findProgram(program: string, path: string): Promise<string | null> {
  const places = isAbsolute(program)
    ? [program]
    : path
        .split(delimiter)
        .filter(isAbsolute)
        .map((folder) => join(folder, program));
  for (const place of places)
    try {
      await access(place, constants.X_OK);
      return place;
    } catch {
      // Not here: the next folder may have it.
    }
  return null;
}
