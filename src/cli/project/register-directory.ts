import { listIgnoredFiles } from "../../config/files/find-project.ts";
import { escapedLine } from "../../core/text/terminal-text.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Client } from "../../http/client/client.ts";
import { confirm } from "../ask.ts";
import type { CliContext } from "../context.ts";
import { locateProject } from "./find-project.ts";

/**
 * The project of the current folder, as `findProjectName`. If there is none, registers the folder after one question, without
 * accepting what its files request.
 */
export async function findOrRegisterProject(
  context: CliContext,
  client: Client,
  options: { readonly yes: boolean },
): Promise<string> {
  const { name, dir, isRepository } = await locateProject(context, client);
  if (context.project === null) await warnAboutIgnoredFiles(context, dir);
  if (name !== null) return name;
  const shown = escapedLine(dir);
  if (!options.yes) await confirmRegistration(context, shown, isRepository);
  const { project } = await client.call("POST /projects", { body: { path: dir, url: null, accept: null } });
  context.progress(`Registered ${shown} as the project ${project.name}.\n`);
  return project.name;
}

async function warnAboutIgnoredFiles(context: CliContext, dir: string): Promise<void> {
  for (const file of await listIgnoredFiles(context.cwd, dir))
    context.warn(
      `${escapedLine(file)} has no effect: a repository is one project, with the settings of its top folder.\n`,
    );
}

async function confirmRegistration(context: CliContext, dir: string, isRepository: boolean): Promise<void> {
  const what = isRepository
    ? `${dir} is not registered.`
    : `${dir} is not in a git repository, so the agents would work directly in it.`;
  const hint = `Run it again with --yes to register the directory, or name a project with --project.`;
  if (!context.interactive) throw new UserError("invalid", what, hint);
  if (!(await confirm(`${what} Register it as a project?`)))
    throw new UserError("invalid", "Nothing was submitted.", hint);
}
