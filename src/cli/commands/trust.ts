import { findProjectDir } from "../../config/files/find-project.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Client, ProjectJson } from "../../http/client/client.ts";
import { acceptFiles, type Place } from "../accept-files.ts";
import { connect } from "../connect.ts";
import { answer, type CliContext } from "../context.ts";

/** Shows what the files would widen before anything of it counts. */
export async function trust(context: CliContext, options: { readonly yes?: boolean }): Promise<void> {
  const client = await connect(context);
  const place = await findPlace(context, client);
  const { project, pending, accepted } = await acceptFiles(context, client, {
    place,
    own: false,
    yes: options.yes ?? false,
  });
  answer(context, { ...pending, is_accepted: accepted }, () => {
    if (!accepted) return "nothing was accepted\n";
    return pending.changes.length === 0
      ? `nothing to accept: the files of ${project.name} ask for no more than was accepted\n`
      : `accepted for ${project.name}\n`;
  });
}

async function findPlace(context: CliContext, client: Client): Promise<Place> {
  if (context.project !== null) return placeOf(context.project, (await client.call("GET /projects")).projects);
  const path = await findProjectDir(context.cwd);
  if (path === null)
    throw new UserError(
      "invalid",
      "this folder is in no git repository",
      "go to the project's folder, or name it with --project",
    );
  return { path, url: null };
}

function placeOf(name: string, projects: readonly ProjectJson[]): Place {
  const project = projects.find((each) => each.name === name);
  if (project === undefined)
    throw new UserError(
      "not_found",
      `there is no project "${name}"`,
      `registered are: ${projects.map((each) => each.name).join(", ")}`,
    );
  return project.path === null ? { path: null, url: project.remote } : { path: project.path, url: null };
}
