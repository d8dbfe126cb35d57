import type { Client } from "../http/client/client.ts";
import type { CliContext } from "./context.ts";
import { describeProblems } from "./print/problems.ts";

/** Warns about the daemon's problems as soon as it starts, so that a missing sandbox is not noticed only in the morning. */
export async function warnAboutProblems(context: CliContext, client: Client): Promise<readonly string[]> {
  const { problems } = await client.call("GET /status");
  context.warn(describeProblems(context, problems));
  return problems;
}
