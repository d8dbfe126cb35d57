import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { builtInAgents, describeAgents } from "../../adapters/agents/create-agent.ts";
import type { AgentDefinition } from "../../adapters/agents/definition.ts";
import type { ForgeDefinition } from "../../adapters/forges/definition.ts";
import { nameHome } from "../../config/files/paths.ts";
import { readUserFile } from "../../config/files/user-config.ts";
import { checkProjectPath, publicHost } from "../../core/forge/forge-address.ts";
import { detectGit, type Environment, type GitFacts } from "./detect-git.ts";
import { REGISTRY, type Registry } from "../wire/registry.ts";
import { detectTools, type Tools } from "./detect-tools.ts";

/** What we can learn about a checkout without running its code. */
export interface DetectedProject extends GitFacts {
  readonly name: string;
  readonly forge: DetectedForge | null;
  readonly tools: Tools;
  /** Names of the agents whose CLIs are on PATH, in order of preference. */
  readonly agents: readonly string[];
  /** The agent in config.yaml. Null if it sets none. */
  readonly configuredAgent: string | null;
}

export interface DetectedForge {
  readonly kind: string;
  /** Null for the public instance. */
  readonly url: string | null;
  readonly project: string;
  readonly tokenEnv: string;
}

export interface DetectOptions {
  readonly env: Environment;
  /** Default: the built-in registry. */
  readonly registry?: Registry;
}

/** Throws UserError if the folder is not a checkout that Nightshift can use. */
export async function detectProject(
  dir: string,
  { env, registry = REGISTRY }: DetectOptions,
): Promise<DetectedProject> {
  const git = await detectGit(dir, env);
  return {
    ...git,
    name: toName(basename(git.dir)),
    forge: detectForge(git.remote, registry.forges),
    tools: await detectTools(git.dir),
    agents: await detectAgents(env, registry.agents),
    configuredAgent: await readConfiguredAgent(env, registry),
  };
}

/** Null also if config.yaml is invalid; the code that needs it reports the errors. */
async function readConfiguredAgent(env: Environment, { format }: Registry): Promise<string | null> {
  try {
    return (await readUserFile(nameHome(env), format)).written.agent ?? null;
  } catch {
    return null;
  }
}

/** Finds the forge by the host of the remote. Null if the host is unknown. */
export function detectForge(remote: string, forges: readonly ForgeDefinition[]): DetectedForge | null {
  const parts =
    /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(remote) ??
    /^(?:[^@/:]+@)?([^/:]+):([^/].*)$/.exec(remote);
  const host = parts?.[1]?.toLowerCase();
  const project = parts?.[2]?.replace(/\/$/, "").replace(/\.git$/, "");
  if (host === undefined || project === undefined || project === "") return null;
  const found = forges.find(({ site }) => site.isHost(host));
  if (found === undefined || checkProjectPath(project, found.site) === null) return null;
  const isPublic = host === publicHost(found.site) || host === found.site.sshHost;
  return { kind: found.kind, url: isPublic ? null : `https://${host}`, project, tokenEnv: found.tokenEnv };
}

/** Lists the agents whose program is on PATH. */
export async function detectAgents(env: Environment, agents: readonly AgentDefinition[]): Promise<string[]> {
  // A relative folder on PATH would find programs in the current repository.
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const found = await Promise.all(
    describeAgents(agents, builtInAgents(agents)).map(async ({ name, program }) => {
      if (program === null) return [];
      const hits = await Promise.all(folders.map((folder) => isExecutable(join(folder, program.name))));
      return hits.includes(true) ? [name] : [];
    }),
  );
  return found.flat();
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Turns the name of a folder or repository into a valid project name. */
export function toName(folder: string): string {
  const plain = folder
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .slice(0, 40)
    .replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
  return plain === "" ? "project" : plain;
}
