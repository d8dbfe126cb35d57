import { UserError } from "../../core/errors.ts";
import { terminalText } from "../../core/terminal-text.ts";
import type { Client, PendingTrustJson, ProjectJson } from "../../http/client.ts";
import { findProjectDir } from "../../config/find-project.ts";
import { connect } from "../connect.ts";
import { answer, type CliContext } from "../context.ts";
import { paint } from "../print/style.ts";

/** Shows what the files would widen before anything of it counts. */
export async function trust(context: CliContext, options: { readonly yes?: boolean }): Promise<void> {
  const client = await connect(context);
  const place = await findPlace(context, client);
  const { project, pending } = await client.call("POST /projects", { body: { ...place, accept: null } });
  if (pending.changes.length === 0) return answer(context, pending, () => `nothing to accept: the files of ${project.name} ask for no more than was accepted\n`);
  if (context.json && options.yes !== true) return answer(context, pending, () => "");
  context.tell(describe(context, pending));
  if (options.yes !== true && !(await confirm(context))) return answer(context, pending, () => "nothing was accepted\n");
  const accepted = await client.call("POST /projects", { body: { ...place, accept: pending.hash } });
  answer(context, accepted.project, () => `accepted for ${accepted.project.name}\n`);
}

async function findPlace(context: CliContext, client: Client): Promise<{ path: string | null; url: string | null }> {
  if (context.project !== null) return placeOf(context.project, (await client.call("GET /projects")).projects);
  const path = await findProjectDir(context.cwd);
  if (path === null) throw new UserError("invalid", "this folder is in no git repository", "go to the project's folder, or name it with --project");
  return { path, url: null };
}

function placeOf(name: string, projects: readonly ProjectJson[]): { path: string | null; url: string | null } {
  const project = projects.find((each) => each.name === name);
  if (project === undefined) throw new UserError("not_found", `there is no project "${name}"`, `registered are: ${projects.map((each) => each.name).join(", ")}`);
  return project.path === null ? { path: null, url: project.remote } : { path: project.path, url: null };
}

function describe(context: CliContext, { changes }: PendingTrustJson): string {
  const lines = changes.flatMap(({ key, accepted, wanted }) => [
    paint(context, "bold", key),
    ...(accepted === null ? [] : [paint(context, "red", `  - ${terminalText(accepted)}`)]),
    ...(wanted === null ? [] : [paint(context, "green", `  + ${terminalText(wanted)}`)]),
  ]);
  return `The project's files ask for this:\n${lines.join("\n")}\n`;
}

async function confirm(context: CliContext): Promise<boolean> {
  if (!context.interactive) throw new UserError("invalid", "nobody is there to say yes", "look at the list above, then run nightshift trust --yes");
  const prompts = await import("@clack/prompts");
  return (await prompts.confirm({ message: "Accept all of it?", initialValue: false })) === true;
}
