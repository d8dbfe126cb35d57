import type { AgentSession, McpServer } from "../../../ports/agent.ts";

/** The configuration of the ACP client, as JSON in the file given by its only argument. */
export interface AcpRules {
  /** The agent's program and its arguments. */
  readonly command: readonly string[];
  readonly workspace: string;
  readonly mayWrite: boolean;
  /** Paths outside the workspace. */
  readonly write: readonly string[];
  readonly read: readonly string[];
  /** `Bash`, or `Bash(git log:*)` for certain commands only. */
  readonly tools: readonly string[];
  /** `sbt compile` restricts sbt to this command. */
  readonly commands: readonly string[] | null;
  readonly model: string | null;
  readonly session: AgentSession;
  readonly reportServer: McpServer | null;
  /** How long the agent may take to answer `initialize`. */
  readonly startTimeoutMs: number;
}
