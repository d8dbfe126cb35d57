import type { Client, ProjectJson } from "../http/client.ts";
import type { CliContext } from "./context.ts";

/** Registers the project and accepts exactly what its files ask for at this moment. */
export async function registerProject(context: CliContext, client: Client, place: { readonly path: string | null; readonly url: string | null }): Promise<ProjectJson> {
  const found = await client.call("POST /projects", { body: { ...place, accept: null } });
  if (found.pending.changes.length === 0) return found.project;
  const { project } = await client.call("POST /projects", { body: { ...place, accept: found.pending.hash } });
  context.tell(`project ${project.name} is registered and its files are accepted\n`);
  return project;
}
