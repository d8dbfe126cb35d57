import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import type { ServerConfig } from "./config.ts";
import { describe, startServer } from "./start-server.ts";

const MAX_PAGES = 50;

export async function listAllTools(client: Client, timeout: number): Promise<readonly Tool[]> {
  const tools: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const listed = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout });
    tools.push(...listed.tools);
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

/** What `list` prints, as one line of JSON. */
export type ListedTools =
  | { readonly tools: readonly { readonly name: string; readonly description: string }[] }
  | { readonly problem: string };

const MAX_TOOLS = 500;
const MAX_DESCRIPTION = 1_000;

/** Starts the server, lists its tools and ends it. */
export async function describeTools(config: ServerConfig, env: NodeJS.ProcessEnv): Promise<ListedTools> {
  try {
    const server = await startServer(config, env);
    try {
      const tools = await listAllTools(server.client, config.startMs);
      return {
        tools: tools.slice(0, MAX_TOOLS).map(({ name, title, description }) => ({
          name,
          description: (description ?? title ?? "").slice(0, MAX_DESCRIPTION),
        })),
      };
    } catch (error) {
      return { problem: server.problem() ?? `it did not list its tools: ${describe(error)}` };
    } finally {
      await server.stop();
    }
  } catch (error) {
    return { problem: describe(error) };
  }
}
