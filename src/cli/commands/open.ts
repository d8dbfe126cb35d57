import { connect } from "../daemon/connect.ts";
import { createSignInLink } from "../daemon/sign-in-link.ts";
import { openBrowser, refuseBrowser } from "../open-browser.ts";
import { printResult, type CliContext } from "../context.ts";

export interface OpenOptions {
  readonly print?: boolean;
  readonly for?: string;
}

/** Opens the page in the browser, signed in. */
export async function open(context: CliContext, task: string | undefined, options: OpenOptions): Promise<void> {
  const client = await connect(context);
  const path =
    task === undefined ? null : `/tasks/${(await client.call("GET /tasks/:id", { params: { id: task } })).id}`;
  const link = await createSignInLink(client, { person: options.for ?? null, path });
  // A link for another person must not sign this person's browser in.
  const isPrinted = options.print === true || options.for !== undefined || context.json;
  const refusal = isPrinted ? null : refuseBrowser(context);
  const problem = isPrinted || refusal !== null ? refusal : await openBrowser(link.url, context.env);
  const isOpened = !isPrinted && problem === null;
  if (problem !== null)
    context.progress(`${problem}, so no browser was opened. Open this link in a browser yourself.\n`);
  printResult(context, { ...link, opened: isOpened }, () =>
    isOpened ? `Opened the page in your browser: ${new URL(link.url).origin}\n` : `${link.url}\n`,
  );
  const who = options.for ?? "you";
  if (!isOpened) context.progress(`It works once and for ten minutes, and signs the browser in as ${who}.\n`);
}
