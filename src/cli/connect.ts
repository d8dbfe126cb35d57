import type { Client } from "../http/client/client.ts";
import { createNodeClient } from "../http/client/node-client.ts";
import type { CliContext } from "./context.ts";
import { findDaemon } from "./find-daemon.ts";

/** A client of the daemon; starts the daemon when none answers. */
export async function connect(context: CliContext): Promise<Client> {
  const running = await findDaemon(context);
  if (running !== null) return createNodeClient(running);
  context.tell("starting the daemon …\n");
  const { startDaemon } = await import("./start-daemon.ts");
  const client = createNodeClient(await startDaemon(context));
  const { tellProblems } = await import("./tell-problems.ts");
  await tellProblems(context, client);
  return client;
}
