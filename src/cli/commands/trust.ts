import { findProjectDir } from "../../config/files/find-project.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Client, ProjectJson } from "../../http/client/client.ts";
import { acceptFiles, type ProjectLocation } from "../project/accept-files.ts";
import { checkSetup } from "../project/check-setup.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { formatNextSteps } from "../print/task/next-steps.ts";

/** Shows the additional permissions that the project's files request. They take effect only after they are accepted. */
export async function trust(
  context: CliContext,
  options: { readonly yes?: boolean; readonly run?: boolean },
): Promise<void> {
  const client = await connect(context);
  const location = await findLocation(context, client);
  const { project, pending, accepted } = await acceptFiles(context, client, {
    location,
    generated: false,
    yes: options.yes ?? false,
  });
  const findings = accepted
    ? await checkSetup(context, client, { project: project.name, run: options.run ?? true })
    : [];
  printResult(context, { ...pending, is_accepted: accepted, findings }, () => {
    if (!accepted) return "Nothing was accepted.\n";
    return pending.changes.length === 0
      ? `Nothing to accept: the files of ${project.name} request no additional permissions.\n`
      : `Accepted the permissions for ${project.name}.\n`;
  });
  if (accepted) context.progress(formatNextSteps(["nightshift doctor"]));
}

async function findLocation(context: CliContext, client: Client): Promise<ProjectLocation> {
  if (context.project !== null) return locationOf(context.project, (await client.call("GET /projects")).projects);
  const path = await findProjectDir(context.cwd);
  if (path === null)
    throw new UserError(
      "invalid",
      "This folder is not in a git repository.",
      "Change to the project's folder, or name the project with --project.",
    );
  return { path, url: null };
}

function locationOf(name: string, projects: readonly ProjectJson[]): ProjectLocation {
  const project = projects.find((each) => each.name === name);
  if (project === undefined)
    throw new UserError(
      "not_found",
      `There is no project "${name}".`,
      `Registered projects: ${projects.map((each) => each.name).join(", ")}`,
    );
  return project.path === null ? { path: null, url: project.remote } : { path: project.path, url: null };
}
