export const MCP_PLACES = ["inside", "outside"] as const;

/** Other names would have to be changed for the APIs of models, and two tools could get the same name. */
export const MCP_TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** How long a call of a tool may take. */
export const MCP_CALL_MS = 600_000;

/** `mcp.<name>`: a server whose tools a plan can give to its agent. */
export interface McpServerSettings {
  readonly command: readonly string[];
  /** `inside`: in the agent's sandbox. `outside`: without a sandbox, and a broker forwards only the plan's tools. */
  readonly run: (typeof MCP_PLACES)[number];
  readonly environment: Readonly<Record<string, string>>;
  /** Names of environment variables of the daemon. */
  readonly secrets: readonly string[];
  /** Tools that plans may name. Null means all. */
  readonly tools: readonly string[] | null;
}

/** The name of a tool in plans and for agents. */
export function mcpToolName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`;
}

/** Null for every other tool. A server's name never contains two underscores. */
export function parseMcpToolName(name: string): { readonly server: string; readonly tool: string } | null {
  const [prefix, server, ...rest] = name.split("__");
  return prefix !== "mcp" || server === undefined ? null : { server, tool: rest.join("__") };
}
