import type { Client } from "../http/client/client.ts";
import { createNodeClient } from "../http/client/node-client.ts";
import type { CliContext } from "./context.ts";
import { findDaemon } from "./find-daemon.ts";

/** Connects to the daemon. Starts it if it is not running. */
export async function connect(context: CliContext): Promise<Client> {
  const running = await findDaemon(context);
  if (running !== null) return createNodeClient(running);
  context.progress("Starting the daemon …\n");
  const { startDaemon } = await import("./start-daemon.ts");
  const client = createNodeClient(await startDaemon(context));
  const { warnAboutProblems } = await import("./warn-problems.ts");
  await warnAboutProblems(context, client);
  return client;
}
