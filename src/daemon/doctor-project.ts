import { fileURLToPath } from "node:url";
import { describeAgents } from "../adapters/agents/index.ts";
import { createProjectFiles } from "../config/project-files.ts";
import { readProjectFile } from "../config/read-project.ts";
import { UserError } from "../core/errors.ts";
import type { Settings } from "../core/settings.ts";
import { detectGit, type GitFacts } from "./detect-git.ts";
import { explainFinding, fine, type Finding } from "./doctor-finding.ts";
import type { RegisteredProject } from "./doctor-home.ts";
import { checkRemote } from "./doctor-remote.ts";
import { lookForAgent } from "./wire-agents.ts";

export interface CheckProjectParams {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly projects: readonly RegisteredProject[];
}

/** The project of this folder; outside of every repository there is nothing to say. */
export async function checkProject({ env, cwd, home, projects }: CheckProjectParams): Promise<readonly Finding[]> {
  const git = await findCheckout(cwd, env);
  if (git === null)
    return [fine("project", "this folder is in no git repository; run doctor in a project's folder to check it too")];
  if ("ok" in git) return [git];
  const ofRemote = checkRemote(git.remote);
  const project = projects.find(({ path }) => path === git.dir);
  const ofFiles = project === undefined ? await checkUnregistered(git) : await checkRegistered(project, { env, home });
  return [...ofFiles, ...(await ofRemote)];
}

async function findCheckout(cwd: string, env: CheckProjectParams["env"]): Promise<GitFacts | Finding | null> {
  try {
    return await detectGit(cwd, env);
  } catch (error) {
    if (error instanceof UserError && error.message.includes("is not inside a git repository")) return null;
    return explainFinding("project", error);
  }
}

async function checkUnregistered({ dir }: GitFacts): Promise<readonly Finding[]> {
  const unknown: Finding = { name: "project", ok: "warn", detail: `${dir} is not registered`, fix: "nightshift init" };
  try {
    await readProjectFile(dir);
    return [unknown];
  } catch (error) {
    return [unknown, explainFinding("nightshift.yaml", error)];
  }
}

async function checkRegistered(
  project: RegisteredProject,
  { env, home }: Pick<CheckProjectParams, "env" | "home">,
): Promise<readonly Finding[]> {
  const files = createProjectFiles({
    configDir: home,
    builtinDir: fileURLToPath(new URL("../builtin/", import.meta.url)),
  });
  const findings: Finding[] = [fine("project", `${project.name} is registered`)];
  try {
    const { changes } = await files.pendingTrust(project, project.accepted);
    findings.push(
      changes.length === 0
        ? fine("trust", "all that the project's files ask for was accepted")
        : {
            name: "trust",
            ok: "warn",
            detail: `not accepted yet: ${changes.map(({ key }) => key).join(", ")}`,
            fix: "nightshift trust",
          },
    );
    const settings = await files.settings(project);
    findings.push(
      fine("nightshift.yaml", `valid, ${settings.checks.length} checks`),
      ...(await checkAgents(settings, env["PATH"] ?? "")),
    );
  } catch (error) {
    findings.push(explainFinding("nightshift.yaml", error));
  }
  return findings;
}

/** The project's agent must be there; the others it names may be missing until somebody asks for them. */
async function checkAgents(settings: Settings, path: string): Promise<readonly Finding[]> {
  const found = await Promise.all(describeAgents(settings.agents).map((agent) => lookForAgent(agent, path)));
  const ofAgents = found.map(({ name, usable, program, problem }): Finding => {
    if (usable) return fine(`agent ${name}`, program ?? "built in");
    return {
      name: `agent ${name}`,
      ok: name === settings.agent ? "no" : "warn",
      detail: problem ?? "not usable",
      fix: "install it, or name another agent in nightshift.yaml",
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
