import { findProjectDir } from "../config/files/find-project.ts";
import { UserError } from "../core/text/errors.ts";
import type { Client, ProjectJson } from "../http/client/client.ts";
import type { CliContext } from "./context.ts";

/** `--project`, or the registered project of this folder. */
export async function projectHere(context: CliContext, client: Client): Promise<string> {
  if (context.project !== null) return context.project;
  const dir = await findProjectDir(context.cwd);
  const { projects } = await client.call("GET /projects");
  const [here, ...others] = projects.filter((project) => project.path !== null && project.path === dir);
  if (here !== undefined && others.length > 0) throw ambiguous(here, others);
  if (here !== undefined) return here.name;
  throw new UserError(
    "invalid",
    dir === null ? "this folder is in no git repository" : `the project in ${dir} is not registered`,
    dir === null
      ? `go to a project's folder, or name one with --project${known(projects)}`
      : "run nightshift init here, once",
  );
}

/** From before a folder could be one project only. */
function ambiguous(here: ProjectJson, others: readonly ProjectJson[]): UserError {
  const names = [here, ...others].map(({ name }) => name);
  return new UserError(
    "conflict",
    `${here.path} is registered as ${names.join(" and as ")}`,
    `name one with --project, or forget the one that is not wanted: nightshift projects --remove ${names.at(-1)}`,
  );
}

function known(projects: readonly ProjectJson[]): string {
  return projects.length === 0 ? "" : ` (${projects.map(({ name }) => name).join(", ")})`;
}
