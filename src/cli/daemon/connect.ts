import { escapedLine } from "../../core/text/terminal-text.ts";
import type { Client } from "../../http/client/client.ts";
import { createNodeClient } from "../../http/client/node-client.ts";
import type { CliContext } from "../context.ts";
import { findDaemon, type DaemonAddress } from "./find-daemon.ts";
import { version } from "../version.ts";
import { describeProblems } from "../print/terminal/message.ts";

/** Connects to the daemon. Starts it if it is not running. */
export async function connect(context: CliContext): Promise<Client> {
  const running = await findDaemon(context);
  if (running !== null && !(await wantsRestart(context, running))) return createNodeClient(running);
  if (running !== null) await (await import("../commands/machine/stop.ts")).stopDaemon(context, false);
  context.progress("Starting the daemon …\n");
  const { startDaemon } = await import("./start-daemon.ts");
  const client = createNodeClient(await startDaemon(context));
  await warnAboutProblems(context, client);
  return client;
}

/** After an update, the daemon of the previous version keeps running. Says so, and on a terminal offers to restart it. */
async function wantsRestart(context: CliContext, address: DaemonAddress): Promise<boolean> {
  if (!warnAboutVersion(context, address) || !context.interactive) return false;
  return (await import("../ask.ts")).confirm("Restart the daemon now? Running agents continue.");
}

/** Returns whether the daemon has another version than this command. */
export function warnAboutVersion(context: CliContext, { version: running }: DaemonAddress): boolean {
  if (running === version()) return false;
  context.warn(
    `The daemon has version ${escapedLine(running)}, but this command has version ${version()}. Run "nightshift stop" and "nightshift start" to restart it; running agents continue.\n`,
  );
  return true;
}

/** Warns about the daemon's problems as soon as it starts, so that a missing sandbox is not noticed only in the morning. */
export async function warnAboutProblems(context: CliContext, client: Client): Promise<readonly string[]> {
  const { problems } = await client.call("GET /status");
  context.warn(describeProblems(context, problems));
  return problems;
}
