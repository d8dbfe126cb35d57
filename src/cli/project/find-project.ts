import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { findProjectDir } from "../../config/files/find-project.ts";
import { didYouMean } from "../../core/text/did-you-mean.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Client, ProjectJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";

/** Returns the name given with `--project`, or the registered project of the current folder. */
export async function findProjectName(context: CliContext, client: Client): Promise<string> {
  const found = await locateProject(context, client);
  if (found.name !== null) return found.name;
  const { dir, isRepository, projects } = found;
  throw new UserError(
    "invalid",
    isRepository ? `The project in ${dir} is not registered.` : "This folder is not in a git repository.",
    isRepository
      ? 'Run "nightshift init" here once.'
      : `Change to a project's folder, or name a project with --project${listNames(projects)}.`,
  );
}

export interface LocatedProject {
  /** Null if the folder does not belong to a registered project. */
  readonly name: string | null;
  readonly dir: string;
  /** Whether it has a git repository or a nightshift.yaml. */
  readonly isRepository: boolean;
  readonly projects: readonly ProjectJson[];
}

/** The project given with `--project`, or the one of the current folder. A directory without a repository contains its subfolders. */
export async function locateProject(
  context: Pick<CliContext, "project" | "cwd">,
  client: Client,
): Promise<LocatedProject> {
  if (context.project !== null) return { name: context.project, dir: context.cwd, isRepository: true, projects: [] };
  const { projects } = await client.call("GET /projects");
  const root = await findProjectDir(context.cwd);
  const cwd = await realpath(context.cwd);
  const isRepository = root !== null;
  for (let dir = cwd; ; dir = dirname(dir)) {
    const [here, ...others] = projects.filter(({ path }) => path === dir);
    if (here !== undefined && others.length > 0) throw ambiguous(here, others);
    if (here !== undefined) return { name: here.name, dir, isRepository, projects };
    if (dir === root || dir === dirname(dir)) return { name: null, dir: root ?? cwd, isRepository, projects };
  }
}

/** Call it if nothing was found: a typo in `--project` must not look like an empty list. A removed project may still have tasks. */
export async function requireKnownProject({ project }: CliContext, client: Client): Promise<void> {
  if (project === null) return;
  const names = (await client.call("GET /projects")).projects.map(({ name }) => name);
  if (names.includes(project)) return;
  throw new UserError(
    "not_found",
    `There is no project "${project}".${didYouMean(project, names)}`,
    names.length === 0 ? 'Run "nightshift init" in its folder to register it.' : `Registered: ${names.join(", ")}.`,
  );
}

/** Older versions allowed several projects for one folder. */
function ambiguous(here: ProjectJson, others: readonly ProjectJson[]): UserError {
  const names = [here, ...others].map(({ name }) => name);
  return new UserError(
    "conflict",
    `${here.path} is registered as ${names.join(" and as ")}.`,
    `Name one with --project, or remove the other, for example: nightshift projects --remove ${names.at(-1)}`,
  );
}

function listNames(projects: readonly ProjectJson[]): string {
  return projects.length === 0 ? "" : ` (${projects.map(({ name }) => name).join(", ")})`;
}
