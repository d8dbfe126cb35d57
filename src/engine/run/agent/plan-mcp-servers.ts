import { parseMcpToolName } from "../../../core/settings/mcp.ts";
import type { Role } from "../../../core/task/role.ts";
import type { Agent, AgentMcpServer } from "../../../ports/agent.ts";
import type { McpConnection } from "../../../ports/mcp.ts";
import type { RunPaths } from "../../../ports/run-files.ts";
import { listMcpTools, namedServers } from "../plan/list-mcp-tools.ts";
import { planRequest } from "../plan/plan-request.ts";
import { StepEnd, type StepContext } from "../step-context.ts";

/** The MCP servers of a run, and everything that the job needs for them. */
export interface PlannedMcp extends Pick<McpConnection, "read" | "programs" | "keys"> {
  readonly servers: readonly AgentMcpServer[];
  readonly brokered: readonly NonNullable<McpConnection["brokered"]>[];
}

/** Only tools of the approved plan, only of configured servers, and only for an agent that can use them. */
export function planMcpServers(
  context: StepContext,
  role: Role,
  { capabilities }: Pick<Agent, "capabilities">,
  paths: RunPaths,
): PlannedMcp {
  const { ports, settings } = context;
  const planned = capabilities.mcp ? (planRequest(context, role)?.tools ?? []) : [];
  const connections = namedServers(planned).flatMap((name) => {
    const server = Object.hasOwn(settings.mcp, name) ? settings.mcp[name] : undefined;
    if (server === undefined) return [];
    const tools = planned
      .flatMap((tool) => parseMcpToolName(tool) ?? [])
      .filter((tool) => tool.server === name && (server.tools?.includes(tool.tool) ?? true))
      .map(({ tool }) => tool);
    return [{ name, tools, ...ports.mcp.connect({ server: { ...server, name }, tools, paths }) }];
  });
  return {
    servers: connections.map(({ name, server, tools }) => ({ name, server, tools })),
    read: connections.flatMap(({ read }) => read),
    programs: connections.flatMap(({ programs }) => programs),
    brokered: connections.flatMap(({ brokered }) => brokered ?? []),
    keys: Object.assign({}, ...connections.map(({ keys }) => keys)),
  };
}

/**
 * Ends the step if a server of the plan does not start or a tool is gone. Otherwise some agents would go on without it, and
 * what was approved would silently not happen.
 */
export async function requirePlannedTools(
  context: StepContext,
  role: Role,
  { capabilities }: Pick<Agent, "capabilities">,
): Promise<void> {
  const planned = planRequest(context, role)?.tools ?? [];
  const names = namedServers(planned);
  if (names.length === 0 || !capabilities.mcp) return;
  const found = await listMcpTools(context, names, { fresh: true });
  const problems = planned.flatMap((name) => {
    const named = parseMcpToolName(name);
    if (named === null) return [];
    const server = found[named.server];
    if (server?.tools.some((tool) => tool.name === named.tool) === true) return [];
    return [server?.problem ?? `The tool ${name} does not exist any more.`];
  });
  if (problems.length > 0) throw new StepEnd("agent_error", [...new Set(problems)].join("\n"));
}
