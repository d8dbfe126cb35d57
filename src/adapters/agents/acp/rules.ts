import type { AgentRun } from "../../../ports/agent.ts";

/** The configuration of the ACP client, as JSON in the file given by its only argument. */
export interface AcpRules extends Pick<
  AgentRun,
  | "workspace"
  | "mayWrite"
  | "write"
  | "read"
  | "tools"
  | "commands"
  | "model"
  | "session"
  | "reportServer"
  | "mcpServers"
> {
  /** The agent's program and its arguments. */
  readonly command: readonly string[];
  /** How long the agent may take to answer `initialize`. */
  readonly startTimeoutMs: number;
}
