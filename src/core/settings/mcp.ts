export const MCP_PLACES = ["inside", "outside"] as const;

/** Other names would have to be changed for the APIs of models, and two tools could get the same name. */
export const MCP_TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

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
