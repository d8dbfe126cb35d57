import type { Client } from "../http/client/client.ts";
import { acceptFiles } from "./accept-files.ts";
import type { CliContext } from "./context.ts";
import { paint } from "./print/style.ts";

/**
 * What the project's files ask for and nobody accepted does not count; whoever hands work over must know that. On a
 * terminal it can be accepted right here, unless somebody only looks.
 */
export async function mindTrust(
  context: CliContext,
  client: Client,
  project: string,
  { onlyLooks = false }: { readonly onlyLooks?: boolean } = {},
): Promise<void> {
  const { changes } = await client.call("GET /projects/:name/trust", { params: { name: project } });
  if (changes.length === 0) return;
  const path = context.interactive && !onlyLooks ? await checkoutOf(client, project) : null;
  const accepted =
    path === null ? null : await acceptFiles(context, client, { place: { path, url: null }, own: false, yes: false });
  if (accepted?.accepted === true) return;
  const keys = changes.map(({ key }) => key).join(", ");
  context.tell(
    paint(
      context,
      "yellow",
      `not accepted, so what was accepted before counts: ${keys}\n→ nightshift trust shows and accepts it\n`,
    ),
  );
}

async function checkoutOf(client: Client, project: string): Promise<string | null> {
  const { projects } = await client.call("GET /projects");
  return projects.find(({ name }) => name === project)?.path ?? null;
}
