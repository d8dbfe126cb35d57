import { fileURLToPath } from "node:url";
import { describeAgents } from "../../adapters/agents/create-agent.ts";
import type { AgentDefinition } from "../../adapters/agents/definition.ts";
import { homePaths } from "../../config/files/paths.ts";
import { createProjectFiles } from "../../config/files/project-files.ts";
import { readProjectFile } from "../../config/files/read-project.ts";
import { resolvePaths } from "../../config/files/resolve-paths.ts";
import type { ConfigFormat } from "../../config/parse/parse-config.ts";
import { ConfigError, UserError } from "../../core/text/errors.ts";
import type { Secret } from "../../policy/secrets/secret-forms.ts";
import type { SandboxMode, Settings } from "../../core/settings/settings.ts";
import { detectGit, type GitFacts } from "../detect/detect-git.ts";
import { explainFinding, fine, forNight, type Finding } from "./doctor-finding.ts";
import type { RegisteredProject } from "./doctor-home.ts";
import { checkMcpServers } from "./doctor-mcp.ts";
import { findCredentials, checkRemote } from "./doctor-forge.ts";
import { checkSettings, checkWithoutEffect, type SettingsParams } from "./doctor-settings.ts";
import type { Registry } from "../wire/registry.ts";
import { wireMcp } from "../wire/wire-mcp.ts";
import type { AgentInfo } from "../../http/deps.ts";
import { checkAgent } from "../wire/wire-agents.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface CheckProjectParams {
  readonly env: Environment;
  readonly cwd: string;
  readonly home: string;
  readonly projects: readonly RegisteredProject[];
  /** Null if config.yaml is invalid. It has its own finding, and checks that need it are skipped. */
  readonly mode: SandboxMode | null;
  readonly registry: Registry;
  readonly addSecret: (secret: Secret) => void;
}

/** Checks the project of the current folder. */
export async function checkProject(params: CheckProjectParams): Promise<readonly Finding[]> {
  const git = await findCheckout(params.cwd, params.env);
  if (git === null)
    return [
      fine(
        "project",
        "this folder is not in a git repository; run doctor in a project's folder to check the project too",
      ),
    ];
  if ("ok" in git) return [git];
  const [project, ...others] = params.projects.filter(({ path }) => path === git.dir);
  const remoteFindings = checkProjectRemote(git.remote, project ?? null, params);
  const nameFinding =
    project === undefined
      ? { name: "project", ok: "warn" as const, detail: `${git.dir} is not registered`, fix: "nightshift init" }
      : await checkName({ dir: git.dir, name: project.name, others, format: params.registry.format });
  const fileFindings = await checkFiles(git.dir, project ?? null, params);
  return [
    forNight("project", nameFinding, project !== undefined),
    ...fileFindings,
    ...(await remoteFindings).map((finding) =>
      finding.name === "push" || finding.ok === "no" ? forNight("push", finding) : finding,
    ),
  ];
}

/** Each folder can be only one project and keeps its registered name. */
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
      fix: `remove one of them, for example: nightshift projects --remove ${other.name}`,
    };
  // An invalid file has its own finding.
  const written = (await readProjectFile({ dir, isPlain: false }, format).catch(() => null))?.written.project ?? name;
  if (written === name) return fine("project", `${name} is registered`);
  const detail = `registered as ${name}, but nightshift.yaml has the name ${written}`;
  return { name: "project", ok: "warn", detail, fix: `write \`project: ${name}\` in nightshift.yaml` };
}

/** Uses the same credentials as a run would. */
async function checkProjectRemote(
  remote: string,
  project: RegisteredProject | null,
  { env, home, registry, addSecret }: CheckProjectParams,
): Promise<readonly Finding[]> {
  const settings =
    project === null
      ? null
      : await openProjectFiles(home, registry)
          .settings(project)
          .catch(() => null);
  return checkRemote(
    remote,
    settings === null ? null : await findCredentials({ remote, settings, env, forges: registry.forges, addSecret }),
  );
}

function openProjectFiles(home: string, { format }: Registry): ReturnType<typeof createProjectFiles> {
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

/** Checks both the file as written, accepted or not, and the settings that are in effect. */
async function checkFiles(
  dir: string,
  project: RegisteredProject | null,
  { env, home, mode, registry }: CheckProjectParams,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  try {
    const { written } = await readProjectFile({ dir, isPlain: false }, registry.format);
    if (mode === null) return [];
    const layers: SettingsParams[] = [resolvePaths(written, dir, registry.agents)];
    if (project !== null) {
      const files = openProjectFiles(home, registry);
      findings.push(forNight("trust", describeTrust((await files.pendingTrust(project, project.accepted)).changes)));
      const settings = await files.settings(project);
      layers.unshift(settings);
      findings.push(
        fine(
          "nightshift.yaml",
          `valid, ${settings.checks.length} ${settings.checks.length === 1 ? "check" : "checks"}`,
        ),
        ...(await checkAgents(settings, env, registry.agents)),
        ...(await checkMcpServers(settings, wireMcp({ home, mode, env }))),
      );
    }
    findings.push(...checkSettings(layers, { env, home, mode }), ...checkWithoutEffect(written));
  } catch (error) {
    const file = homePaths(home).config;
    const isUserFile = error instanceof ConfigError && error.issues.every((issue) => issue.file === file);
    findings.push(forNight("settings", explainFinding(isUserFile ? "config.yaml" : "nightshift.yaml", error)));
  }
  return findings;
}

function describeTrust(changes: readonly { readonly key: string }[]): Finding {
  if (changes.length === 0) return fine("trust", "all requested permissions are accepted");
  return {
    name: "trust",
    ok: "warn",
    detail: `not accepted yet: ${changes.map(({ key }) => key).join(", ")}`,
    fix: "nightshift trust",
  };
}

/** Checks the agents that the project uses: the default, the fallback and those of roles. The default must be usable. */
async function checkAgents(
  settings: Settings,
  env: Environment,
  agents: readonly AgentDefinition[],
): Promise<readonly Finding[]> {
  const used = [settings.agent, settings.fallbackAgent, ...Object.values(settings.roles).map(({ agent }) => agent)];
  const described = describeAgents(agents, settings.agents).filter(({ name }) => used.includes(name));
  const found = await Promise.all(described.map((agent) => checkAgent(agent, env)));
  const findings = found.map((agent) => {
    const finding = describeAgent(agent, agent.name === settings.agent);
    return agent.name === settings.agent ? forNight("agent", finding) : finding;
  });
  if (found.some(({ name }) => name === settings.agent)) return findings;
  const missing: Finding = {
    name: `agent ${settings.agent}`,
    ok: "no",
    detail: "this version has no such agent",
    fix: "define it under agents in nightshift.yaml with kind: command",
  };
  return [...findings, forNight("agent", missing)];
}

function describeAgent({ name, usable, program, version, problem }: AgentInfo, isDefault: boolean): Finding {
  if (usable) return fine(`agent ${name}`, [program ?? "built in", version].filter((part) => part !== null).join(" "));
  return {
    name: `agent ${name}`,
    ok: isDefault ? "no" : "warn",
    detail: problem ?? "not usable",
    fix: "or use another agent in nightshift.yaml",
  };
}
