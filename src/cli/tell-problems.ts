import type { Client } from "../http/client/client.ts";
import type { CliContext } from "./context.ts";
import { describeProblems } from "./print/problems.ts";

/** Said aloud whenever a daemon starts: nobody should learn in the morning that there was no sandbox. */
export async function tellProblems(context: CliContext, client: Client): Promise<readonly string[]> {
  const { problems } = await client.call("GET /status");
  context.warn(describeProblems(context, problems));
  return problems;
}
