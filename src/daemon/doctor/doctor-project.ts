import { fileURLToPath } from "node:url";
import { describeAgents } from "../../adapters/agents/create-agent.ts";
import type { AgentDefinition } from "../../adapters/agents/definition.ts";
import { homePaths } from "../../config/files/paths.ts";
import { createProjectFiles } from "../../config/files/project-files.ts";
import { readProjectFile } from "../../config/files/read-project.ts";
import { resolvePaths } from "../../config/files/resolve-paths.ts";
import type { ConfigFormat } from "../../config/parse/parse-config.ts";
import { ConfigError, UserError } from "../../core/text/errors.ts";
import type { SandboxMode, Settings } from "../../core/settings/settings.ts";
import { detectGit, type GitFacts } from "../detect/detect-git.ts";
import { explainFinding, fine, type Finding } from "./doctor-finding.ts";
import type { RegisteredProject } from "./doctor-home.ts";
import { findCredentials } from "./doctor-forge.ts";
import { checkRemote } from "./doctor-remote.ts";
import { checkSettings, noteWithoutEffect, type SettingsParams } from "./doctor-settings.ts";
import type { Registry } from "../wire/registry.ts";
import { checkAgent } from "../wire/wire-agents.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface CheckProjectParams {
  readonly env: Environment;
  readonly cwd: string;
  readonly home: string;
  readonly projects: readonly RegisteredProject[];
  /** Null: config.yaml cannot be read. Its own finding says why; nothing that needs it is looked at here. */
  readonly mode: SandboxMode | null;
  readonly registry: Registry;
}

/** The project of this folder; outside of every repository there is nothing to say. */
export async function checkProject(params: CheckProjectParams): Promise<readonly Finding[]> {
  const git = await findCheckout(params.cwd, params.env);
  if (git === null)
    return [fine("project", "this folder is in no git repository; run doctor in a project's folder to check it too")];
  if ("ok" in git) return [git];
  const [project, ...others] = params.projects.filter(({ path }) => path === git.dir);
  const ofRemote = tryRemote(git.remote, project ?? null, params);
  const known =
    project === undefined
      ? { name: "project", ok: "warn" as const, detail: `${git.dir} is not registered`, fix: "nightshift init" }
      : await checkName({ dir: git.dir, name: project.name, others, format: params.registry.format });
  const ofFiles = await checkFiles(git.dir, project ?? null, params);
  return [known, ...ofFiles, ...(await ofRemote)];
}

/** A folder is one project, by the name that it was registered by. */
async function checkName({
  dir,
  name,
  others,
  format,
}: {
  readonly dir: string;
  readonly name: string;
  readonly others: readonly RegisteredProject[];
  readonly format: ConfigFormat;
}): Promise<Finding> {
  const [other] = others;
  if (other !== undefined)
    return {
      name: "project",
      ok: "no",
      detail: `${dir} is registered as ${[name, ...others.map((each) => each.name)].join(" and as ")}`,
      fix: `nightshift projects --remove the one that is not wanted, such as ${other.name}`,
    };
  // What is wrong with the file is a finding of its own.
  const written = (await readProjectFile(dir, format).catch(() => null))?.written.project ?? name;
  if (written === name) return fine("project", `${name} is registered`);
  const detail = `${name} is registered, and nightshift.yaml calls it ${written}`;
  return { name: "project", ok: "warn", detail, fix: `write \`project: ${name}\` in nightshift.yaml` };
}

/** With the forge's token, where the night would push with it. */
async function tryRemote(
  remote: string,
  project: RegisteredProject | null,
  { env, home, registry }: CheckProjectParams,
): Promise<readonly Finding[]> {
  const settings =
    project === null
      ? null
      : await readFiles(home, registry)
          .settings(project)
          .catch(() => null);
  return checkRemote(
    remote,
    settings === null ? null : findCredentials({ remote, settings, env, forges: registry.forges }),
  );
}

function readFiles(home: string, { format }: Registry): ReturnType<typeof createProjectFiles> {
  const builtinDir = fileURLToPath(new URL("../../builtin/", import.meta.url));
  return createProjectFiles({ configDir: home, builtinDir, format });
}

async function findCheckout(cwd: string, env: Environment): Promise<GitFacts | Finding | null> {
  try {
    return await detectGit(cwd, env);
  } catch (error) {
    if (error instanceof UserError && error.message.includes("is not inside a git repository")) return null;
    return explainFinding("project", error);
  }
}

/** What the file asks for is looked at before anybody accepts it; what holds already, also where the file changed. */
async function checkFiles(
  dir: string,
  project: RegisteredProject | null,
  { env, home, mode, registry }: CheckProjectParams,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  try {
    const { written } = await readProjectFile(dir, registry.format);
    if (mode === null) return [];
    const layers: SettingsParams[] = [resolvePaths(written, dir, registry.agents)];
    if (project !== null) {
      const files = readFiles(home, registry);
      findings.push(describeTrust((await files.pendingTrust(project, project.accepted)).changes));
      const settings = await files.settings(project);
      layers.unshift(settings);
      findings.push(
        fine(
          "nightshift.yaml",
          `valid, ${settings.checks.length} ${settings.checks.length === 1 ? "check" : "checks"}`,
        ),
        ...(await checkAgents(settings, env, registry.agents)),
      );
    }
    findings.push(...checkSettings(layers, { env, home, mode }), ...noteWithoutEffect(written));
  } catch (error) {
    const file = homePaths(home).config;
    const isOfUser = error instanceof ConfigError && error.issues.every((issue) => issue.file === file);
    findings.push(explainFinding(isOfUser ? "config.yaml" : "nightshift.yaml", error));
  }
  return findings;
}

function describeTrust(changes: readonly { readonly key: string }[]): Finding {
  if (changes.length === 0) return fine("trust", "all that the project's files ask for was accepted");
  return {
    name: "trust",
    ok: "warn",
    detail: `not accepted yet: ${changes.map(({ key }) => key).join(", ")}`,
    fix: "nightshift trust",
  };
}

/** Those that the project uses: its own, the one that takes over, and those of single roles. The first must be there. */
async function checkAgents(
  settings: Settings,
  env: Environment,
  agents: readonly AgentDefinition[],
): Promise<readonly Finding[]> {
  const used = [settings.agent, settings.fallbackAgent, ...Object.values(settings.roles).map(({ agent }) => agent)];
  const described = describeAgents(agents, settings.agents).filter(({ name }) => used.includes(name));
  const found = await Promise.all(described.map((agent) => checkAgent(agent, env)));
  const ofAgents = found.map(({ name, usable, program, version, problem }): Finding => {
    if (usable)
      return fine(`agent ${name}`, [program ?? "built in", version].filter((part) => part !== null).join(" "));
    return {
      name: `agent ${name}`,
      ok: name === settings.agent ? "no" : "warn",
      detail: problem ?? "not usable",
      fix: "or name another agent in nightshift.yaml",
    };
  });
  if (found.some(({ name }) => name === settings.agent)) return ofAgents;
  return [
    ...ofAgents,
    {
      name: `agent ${settings.agent}`,
      ok: "no",
      detail: "this version does not know it",
      fix: "name a program of your own under agents in nightshift.yaml, as kind: command",
    },
  ];
}
