import { parseMcpToolName } from "../../core/settings/mcp.ts";
import { writableDirectories, type ExecutionPlan } from "../../core/outcomes/execution-plan.ts";
import { intersectCommands, type Allowed } from "./grant.ts";
import { coversRule, parseNetworkRules } from "./network-rule.ts";

export interface PlanLimits {
  readonly allowed: Allowed;
  /** The tools of the agent that will carry out the plan. Null if they are not known, and then they are not checked. */
  readonly tools: readonly string[] | null;
  readonly mcp: McpLimits;
  /** Why directories of the plan cannot be written, a sentence each. */
  readonly directories: readonly string[];
  /** The task works directly in a person's directory. */
  readonly inPlace: boolean;
}

export interface McpLimits {
  /** Whether the agent can use MCP servers. */
  readonly isSupported: boolean;
  /** The configured servers: the names of their tools, and why tools are missing. */
  readonly servers: Readonly<Record<string, { readonly tools: readonly string[]; readonly problem: string | null }>>;
}

/** Returns what a plan asks for and cannot get, a sentence each, for the planner and for the person who decides. */
export function findPlanProblems(plan: ExecutionPlan, limits: PlanLimits): readonly string[] {
  const { allowed, tools } = limits;
  return [
    ...plan.tools.flatMap((tool) => {
      const named = parseMcpToolName(tool);
      if (named !== null) return refuseMcpTool(tool, named, limits.mcp);
      return tools === null ? [] : refuseTool(tool, tools);
    }),
    ...writableDirectories(plan).flatMap(refuseHome),
    ...limits.directories,
    ...(limits.inPlace && plan.needs_git ? [NO_GIT_IN_PLACE] : []),
    ...(plan.commands ?? []).flatMap((command) => refuseCommand(command, allowed.commands)),
    ...(plan.needs_git ? refuseCommand("git", allowed.commands) : []),
    ...(plan.network ?? []).flatMap((host) => refuseHost(host, allowed.network)),
  ];
}

const NO_GIT_IN_PLACE =
  "`needs_git` is not possible: the task works in place, where `.git` is read-only. Without git it can be carried out here; otherwise submit it again without --in-place, in a git repository.";

function refuseTool(tool: string, known: readonly string[]): readonly string[] {
  const name = tool.split("(", 1)[0] ?? tool;
  return known.includes(name) ? [] : [`Tool "${tool}" does not exist. The agent has: ${known.join(", ")}.`];
}

function refuseMcpTool(
  name: string,
  { server, tool }: NonNullable<ReturnType<typeof parseMcpToolName>>,
  { isSupported, servers }: McpLimits,
): readonly string[] {
  if (!isSupported) return [`Tool "${name}" is not available. The agent cannot use MCP servers.`];
  const found = Object.hasOwn(servers, server) ? servers[server] : undefined;
  const configured = listOf(Object.keys(servers));
  if (found === undefined)
    return [`Tool "${name}" does not exist. There is no MCP server "${server}"; \`mcp\` lists: ${configured}.`];
  if (found.tools.includes(tool)) return [];
  if (found.problem !== null) return [`Tool "${name}" is not available. ${found.problem}`];
  return [`Tool "${name}" does not exist. The MCP server ${server} has: ${listOf(found.tools)}.`];
}

/** No shell expands it, so it would be a directory of the project with this name. */
function refuseHome(directory: string): readonly string[] {
  return directory.startsWith("~") ? [`Directory "${directory}" starts with "~". Write it as an absolute path.`] : [];
}

function refuseCommand(command: string, allowed: readonly string[] | null): readonly string[] {
  const granted = intersectCommands([command], allowed);
  if (granted === null || granted.length > 0) return [];
  return [`Command "${command}" is not allowed. \`sandbox.commands\` lists: ${listOf(allowed ?? [])}.`];
}

function refuseHost(host: string, allowed: readonly string[]): readonly string[] {
  if (coversRule(parseNetworkRules(allowed).rules, host)) return [];
  return [`Host "${host}" is not allowed. \`sandbox.network\` lists: ${listOf(allowed)}.`];
}

function listOf(items: readonly string[]): string {
  return items.length === 0 ? "nothing" : items.join(", ");
}
