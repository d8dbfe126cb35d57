import { findProjectDir } from "../../config/files/find-project.ts";
import { didYouMean } from "../../core/text/did-you-mean.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Client, ProjectJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";

/** Returns the name given with `--project`, or the registered project of the current folder. */
export async function findProjectName(context: CliContext, client: Client): Promise<string> {
  if (context.project !== null) return context.project;
  const dir = await findProjectDir(context.cwd);
  const { projects } = await client.call("GET /projects");
  const [here, ...others] = projects.filter((project) => project.path !== null && project.path === dir);
  if (here !== undefined && others.length > 0) throw ambiguous(here, others);
  if (here !== undefined) return here.name;
  throw new UserError(
    "invalid",
    dir === null ? "This folder is not in a git repository." : `The project in ${dir} is not registered.`,
    dir === null
      ? `Change to a project's folder, or name a project with --project${listNames(projects)}.`
      : 'Run "nightshift init" here once.',
  );
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
