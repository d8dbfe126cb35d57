import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { nameHome } from "../../config/files/paths.ts";
import { readUserFile } from "../../config/files/user-config.ts";
import { checkProjectPath } from "../../core/forge/forge-place.ts";
import { detectGit, type Environment, type GitFacts } from "./detect-git.ts";
import { detectTools, type Tools } from "./detect-tools.ts";

/** What can be known about a checkout without running anything of it. */
export interface DetectedProject extends GitFacts {
  readonly name: string;
  readonly forge: DetectedForge | null;
  readonly tools: Tools;
  /** Names of the agents whose CLIs are on PATH, in the order we would choose them. */
  readonly agents: readonly string[];
  /** The one that config.yaml names; null where it names none. */
  readonly configuredAgent: string | null;
}

export interface DetectedForge {
  readonly kind: "github" | "gitlab";
  /** Null: the public one. */
  readonly url: string | null;
  readonly project: string;
  readonly tokenEnv: string;
}

export interface DetectOptions {
  readonly env: Environment;
}

/** Throws UserError where the folder is no checkout that Nightshift can work with. */
export async function detectProject(dir: string, { env }: DetectOptions): Promise<DetectedProject> {
  const git = await detectGit(dir, env);
  return {
    ...git,
    name: toName(basename(git.dir)),
    forge: detectForge(git.remote),
    tools: await detectTools(git.dir),
    agents: await detectAgents(env),
    configuredAgent: await readConfiguredAgent(env),
  };
}

/** A config.yaml that cannot be read names none; whoever needs it says what is wrong with it. */
async function readConfiguredAgent(env: Environment): Promise<string | null> {
  try {
    return (await readUserFile(nameHome(env))).written.agent ?? null;
  } catch {
    return null;
  }
}

/** The forge that an address belongs to; null where its host does not tell. */
export function detectForge(remote: string): DetectedForge | null {
  const parts =
    /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(remote) ??
    /^(?:[^@/:]+@)?([^/:]+):([^/].*)$/.exec(remote);
  const host = parts?.[1]?.toLowerCase();
  const project = parts?.[2]?.replace(/\/$/, "").replace(/\.git$/, "");
  if (host === undefined || project === undefined || project === "") return null;
  // GitHub's port 443 name for SSH is the same forge.
  const isPublicGithub = host === "github.com" || host === "ssh.github.com";
  if (isPublicGithub || host.startsWith("github.")) {
    if (checkProjectPath(project, "github") === null) return null;
    return { kind: "github", url: isPublicGithub ? null : `https://${host}`, project, tokenEnv: "GITHUB_TOKEN" };
  }
  if (!host.split(".").includes("gitlab") || checkProjectPath(project, "gitlab") === null) return null;
  return { kind: "gitlab", url: host === "gitlab.com" ? null : `https://${host}`, project, tokenEnv: "GITLAB_TOKEN" };
}

const AGENT_PROGRAMS = {
  "claude-code": "claude",
  codex: "codex",
  gemini: "gemini",
  opencode: "opencode",
  cursor: "cursor-agent",
  aider: "aider",
} as const;

/** The agents whose program is on PATH. */
export async function detectAgents(env: Environment): Promise<string[]> {
  // A relative folder on PATH would find programs of whatever repository we stand in.
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const found = await Promise.all(
    Object.entries(AGENT_PROGRAMS).map(async ([agent, program]) => {
      const hits = await Promise.all(folders.map((folder) => isExecutable(join(folder, program))));
      return hits.includes(true) ? [agent] : [];
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

/** A folder's name as a project's: names are plain. */
function toName(folder: string): string {
  const plain = folder
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .slice(0, 40)
    .replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
  return plain === "" ? "project" : plain;
}
