import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { builtInAgents, describeAgents, type AgentDescription } from "../../adapters/agents/create-agent.ts";
import type { AgentDefinition } from "../../adapters/agents/definition.ts";
import { explainNotExecutable } from "../../adapters/sandboxes/grants/is-program.ts";
import { findKeyProblem } from "../../policy/access/model-access.ts";
import type { AgentSettings } from "../../core/settings/settings.ts";
import type { EnginePorts } from "../../engine/ports.ts";
import type { AgentInfo } from "../../http/deps.ts";
import type { AgentProgram } from "../../ports/agent.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Checks all built-in agents and all agents that registered projects define. */
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
  return Promise.all(describeAgents(definitions, configured).map((agent) => checkAgent(agent, ports.host.env)));
}

export async function checkAgent(agent: AgentDescription, env: Environment): Promise<AgentInfo> {
  const { name, kind, program, problem } = agent;
  const base = { name, kind, version: null, oldestVersion: program?.oldest ?? null };
  if (problem !== null || program === null)
    return { ...base, program: program?.name ?? null, usable: problem === null, problem };
  const path = await findProgram(program.name, env["PATH"] ?? "");
  if (path === null) return { ...base, program: program.name, usable: false, problem: explainMissing(program) };
  const version = program.versionArgs.length === 0 ? null : await readVersion(path, program.versionArgs, env);
  const found = explainVersionProblem(program, version) ?? explainMissingKey(agent, env);
  return { ...base, program: path, version, usable: found === null, problem: found };
}

/** Checks the version of an agent's program. The version is cached until the program file changes. */
export function createVersionCheck(env: Environment): EnginePorts["agents"]["checkVersion"] {
  const cache = new Map<string, Promise<string | null>>();
  return async ({ program }) => {
    if (program === null || program.versionArgs.length === 0) return { version: null, problem: null };
    const path = await findProgram(program.name, env["PATH"] ?? "");
    if (path === null) return { version: null, problem: explainMissing(program) };
    const key = `${path} ${(await stat(path)).mtimeMs}`;
    const reading = cache.get(key) ?? readVersion(path, program.versionArgs, env);
    cache.set(key, reading);
    const version = await reading;
    // The failure may be temporary, so the next run tries again.
    if (version === null) cache.delete(key);
    return { version, problem: explainVersionProblem(program, version) };
  };
}

/** Some programs need seconds to print their version, and much longer on a busy machine. */
const VERSION_TIMEOUT_MS = 60_000;

/** Null if the program prints no version. It gets only the variables it needs to start, no secrets. */
function readVersion(path: string, args: readonly string[], env: Environment): Promise<string | null> {
  return new Promise((done) => {
    const clean = { PATH: env["PATH"], HOME: env["HOME"], DISABLE_AUTOUPDATER: "1" };
    execFile(path, [...args], { env: clean, timeout: VERSION_TIMEOUT_MS }, (error, stdout) =>
      done(error === null ? (/\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? null) : null),
    );
  });
}

function explainMissing({ name, install }: AgentProgram): string {
  const why = isAbsolute(name) ? explainNotExecutable(name) : null;
  return `${name} ${why ?? `is not on the daemon's PATH. ${install}`}`;
}

function explainVersionProblem({ name, oldest, install }: AgentProgram, version: string | null): string | null {
  if (oldest === null) return null;
  if (version === null) return `${name} does not print its version; ${oldest} or newer is required. ${install}`;
  if (version.localeCompare(oldest, "en", { numeric: true }) >= 0) return null;
  return `${name} is version ${version}; ${oldest} or newer is required. ${install}`;
}

function explainMissingKey({ gateway }: AgentDescription, env: Environment): string | null {
  return gateway === null ? null : findKeyProblem(gateway, env);
}

async function findProgram(program: string, path: string): Promise<string | null> {
  const candidates = isAbsolute(program)
    ? [program]
    : path
        .split(delimiter)
        .filter(isAbsolute)
        .map((folder) => join(folder, program));
  for (const candidate of candidates)
    try {
      await access(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Try the next folder.
    }
  return null;
}
