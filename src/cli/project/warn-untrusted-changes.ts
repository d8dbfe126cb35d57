import { escapedLine } from "../../core/text/terminal-text.ts";
import type { Client } from "../../http/client/client.ts";
import { acceptFiles } from "./accept-files.ts";
import type { CliContext } from "../context.ts";
import { paint } from "../print/terminal/style.ts";

/**
 * Warns about permissions that the project's files request and that were not accepted, because they have no effect.
 * On a terminal, asks whether to accept them, except for a dry run.
 */
export async function warnAboutUntrustedChanges(
  context: CliContext,
  client: Client,
  project: string,
  dryRun = false,
): Promise<void> {
  const { changes } = await client.call("GET /projects/:name/trust", { params: { name: project } });
  if (changes.length === 0) return;
  const path = context.interactive && !dryRun ? await findCheckout(client, project) : null;
  const result =
    path === null
      ? null
      : await acceptFiles(context, client, { location: { path, url: null }, generated: false, yes: false });
  if (result?.accepted === true) return;
  const keys = changes.map(({ key }) => escapedLine(key)).join(", ");
  context.progress(
    paint(
      context,
      "yellow",
      `Not accepted, so the previously accepted values are used: ${keys}\n→ Run "nightshift trust" to review and accept the changes.\n`,
    ),
  );
}

async function findCheckout(client: Client, project: string): Promise<string | null> {
  const { projects } = await client.call("GET /projects");
  return projects.find(({ name }) => name === project)?.path ?? null;
}
