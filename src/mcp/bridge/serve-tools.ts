import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  CallToolResultSchema,
  ListToolsRequestSchema,
  type CallToolRequest,
  type CallToolResult,
} from "@modelcontextprotocol/sdk/types.js";
import type { ServeConfig } from "./config.ts";
import { listAllTools } from "./list-tools.ts";
import { describe, startServer, type StartedServer } from "./start-server.ts";

/** More than any sensible call. The agent's messages are kept in memory until they are complete. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/**
 * Starts the server and serves its tools on stdin and stdout: only those of the plan can be listed and called. Everything
 * else of the protocol (resources, prompts, requests of the server to the agent) is not forwarded.
 */
export async function serveTools(config: ServeConfig, env: NodeJS.ProcessEnv): Promise<StartedServer> {
  const server = await startServer(config, env);
  const { client } = server;
  const instructions = client.getInstructions();
  const proxy = new Server(
    { name: config.name, version: "1" },
    { capabilities: { tools: {} }, ...(instructions !== undefined && { instructions }) },
  );
  proxy.setRequestHandler(ListToolsRequestSchema, async () => {
    const tools = await listAllTools(client, config.startMs);
    return { tools: tools.filter(({ name }) => config.tools.includes(name)) };
  });
  proxy.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    if (!config.tools.includes(params.name)) return refuse(explainRefusal(params.name, config));
    try {
      return await forwardCall(server, params, { signal, timeout: config.callMs });
    } catch (error) {
      return refuse(`The MCP server ${config.name} did not answer: ${server.problem() ?? describe(error)}.`);
    }
  });
  await proxy.connect(new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES }));
  return server;
}

function forwardCall(
  { client }: StartedServer,
  { name, arguments: input }: CallToolRequest["params"],
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<CallToolResult> {
  return client.request(
    { method: "tools/call", params: { name, ...(input !== undefined && { arguments: input }) } },
    CallToolResultSchema,
    options,
  );
}

function explainRefusal(tool: string, { name, tools }: ServeConfig): string {
  return `The approved plan does not include the tool ${JSON.stringify(tool)} of the MCP server ${name}. It includes: ${tools.join(", ")}.`;
}

function refuse(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
