import type { Client } from "../../../http/client/client.ts";
import { createNodeClient } from "../../../http/client/node-client.ts";
import { warnAboutProblems, warnAboutVersion } from "../../daemon/connect.ts";
import { trySignInLink } from "../../daemon/sign-in-link.ts";
import { findDaemon } from "../../daemon/find-daemon.ts";
import { printResult, type CliContext } from "../../context.ts";
import { formatNextSteps } from "../../print/task/next-steps.ts";
import { Exit } from "../../exit.ts";
import { recordPath } from "../../record-path.ts";
import { runDaemon, startDaemon } from "../../daemon/start-daemon.ts";

export interface StartOptions {
  readonly foreground?: boolean;
  readonly port?: number;
}

/** Empty if the daemon is of an older version. */
async function describePage(client: Client): Promise<string> {
  const link = await trySignInLink(client);
  if (link === null) return "";
  return `Page: ${new URL(link.url).origin} ("nightshift open" opens it, signed in)\n  ${link.url}\n  The link signs in one browser and works for ten minutes.\n`;
}

export async function start(context: CliContext, options: StartOptions): Promise<void> {
  // Runs concurrently, because the startup files of some login shells take seconds.
  const recorded = recordPath(context);
  try {
    await startOrFind(context, options);
  } finally {
    await recorded;
  }
}

async function startOrFind(context: CliContext, options: StartOptions): Promise<void> {
  const args = options.port === undefined ? [] : ["--port", String(options.port)];
  const running = await findDaemon(context);
  if (running === null && options.foreground === true) {
    const code = await runDaemon(context, args);
    if (code !== 0) throw new Exit(code === 2 ? 2 : 4);
    return;
  }
  if (running !== null) warnAboutVersion(context, running);
  const { pid, url, token } = running ?? (await startDaemon(context, args));
  const client = createNodeClient({ url, token });
  const problems = await warnAboutProblems(context, client);
  const already = running === null ? "" : "already ";
  printResult(
    context,
    { pid, url, started: running === null, problems },
    () => `The daemon is ${already}running (pid ${pid}) at ${url}\n`,
  );
  // A link in a log file would be a secret in a log file.
  if (context.interactive) context.progress(await describePage(client));
  const { projects } = await client.call("GET /projects");
  context.progress(formatNextSteps([projects.length === 0 ? "nightshift init" : "nightshift schedule"]));
}
