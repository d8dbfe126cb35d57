import { findProjectDir } from "../config/find-project.ts";
import { UserError } from "../core/errors.ts";
import type { Client, ProjectJson } from "../http/client.ts";
import type { CliContext } from "./context.ts";

/** `--project`, or the registered project of this folder. */
export async function projectHere(context: CliContext, client: Client): Promise<string> {
  if (context.project !== null) return context.project;
  const dir = await findProjectDir(context.cwd);
  const { projects } = await client.call("GET /projects");
  const here = projects.find((project) => project.path !== null && project.path === dir);
  if (here !== undefined) return here.name;
  throw new UserError(
    "invalid",
    dir === null ? "this folder is in no git repository" : `the project in ${dir} is not registered`,
    dir === null
      ? `go to a project's folder, or name one with --project${known(projects)}`
      : "run nightshift init here, once",
  );
}

function known(projects: readonly ProjectJson[]): string {
  return projects.length === 0 ? "" : ` (${projects.map(({ name }) => name).join(", ")})`;
}
