import { mcpToolName, parseMcpToolName } from "../../../core/settings/mcp.ts";
import type { Agent } from "../../../ports/agent.ts";
import type { ListToolsOptions, McpServerTools } from "../../../ports/mcp.ts";
import type { McpLimits } from "../../../policy/access/plan-problems.ts";
import type { StepContext } from "../step-context.ts";

type McpContext = Pick<StepContext, "ports" | "settings">;

/** The configured servers with their tools, by name. A server that does not start has a problem. */
export async function listMcpTools(
  { ports, settings }: McpContext,
  names: readonly string[] = Object.keys(settings.mcp),
  options: ListToolsOptions = {},
): Promise<Readonly<Record<string, McpServerTools>>> {
  const listed = await Promise.all(
    names.flatMap((name) => {
      const server = Object.hasOwn(settings.mcp, name) ? settings.mcp[name] : undefined;
      if (server === undefined) return [];
      const tools = ports.mcp.listTools({ ...server, name }, settings.sandbox, options);
      // Servers print what they like.
      return [tools.then((found) => [name, ports.secrets.redact(found)] as const)];
    }),
  );
  return Object.fromEntries(listed);
}

/** What a plan may use of MCP servers. Starts only the servers that it names. */
export async function mcpLimits(
  context: McpContext,
  { capabilities }: Pick<Agent, "capabilities">,
  tools: readonly string[],
): Promise<McpLimits> {
  const { mcp } = context.settings;
  const isSupported = capabilities.mcp;
  const found = isSupported ? await listMcpTools(context, namedServers(tools)) : {};
  const servers = Object.keys(mcp).map((name) => {
    const { tools: offered, problem } = found[name] ?? { tools: [], problem: null };
    return [name, { tools: offered.map((tool) => tool.name), problem }] as const;
  });
  return { isSupported, servers: Object.fromEntries(servers) };
}

/** The MCP servers whose tools are in this list. */
export function namedServers(tools: readonly string[]): readonly string[] {
  return [...new Set(tools.flatMap((tool) => parseMcpToolName(tool)?.server ?? []))];
}

/** For a planner. Empty if no servers are configured. */
export async function describeMcpTools(
  context: McpContext,
  { capabilities }: Pick<Agent, "capabilities">,
): Promise<readonly string[]> {
  if (Object.keys(context.settings.mcp).length === 0) return [];
  if (!capabilities.mcp) return ["Tools of MCP servers: none. The executing agent cannot use MCP servers."];
  const found = Object.entries(await listMcpTools(context));
  const lines = found.flatMap(([server, { tools, problem }]) => [
    ...tools.map(({ name, description }) => `- ${mcpToolName(server, name)}: ${oneLine(description)}`),
    ...(problem === null ? [] : [`- ${problem}`]),
  ]);
  return [`Tools of MCP servers:\n${lines.join("\n")}`];
}

const MAX_DESCRIPTION = 300;

function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length <= MAX_DESCRIPTION ? line : `${line.slice(0, MAX_DESCRIPTION)}…`;
}
