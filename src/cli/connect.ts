import type { Client } from "../http/client/client.ts";
import { createNodeClient } from "../http/client/node-client.ts";
import type { CliContext } from "./context.ts";
import { findDaemon } from "./find-daemon.ts";
import { describeProblems } from "./print/message.ts";

/** Connects to the daemon. Starts it if it is not running. */
export async function connect(context: CliContext): Promise<Client> {
  const running = await findDaemon(context);
  if (running !== null) return createNodeClient(running);
  context.progress("Starting the daemon …\n");
  const { startDaemon } = await import("./start-daemon.ts");
  const client = createNodeClient(await startDaemon(context));
  await warnAboutProblems(context, client);
  return client;
}

/** Warns about the daemon's problems as soon as it starts, so that a missing sandbox is not noticed only in the morning. */
export async function warnAboutProblems(context: CliContext, client: Client): Promise<readonly string[]> {
  const { problems } = await client.call("GET /status");
  context.warn(describeProblems(context, problems));
  return problems;
}
