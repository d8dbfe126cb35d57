import type { AgentSession, McpServer } from "../../../ports/agent.ts";

/** What the ACP client is told by the file that its only argument names. */
export interface AcpRules {
  /** The agent's program and its arguments. */
  readonly command: readonly string[];
  readonly workspace: string;
  readonly mayWrite: boolean;
  /** Places outside of the workspace. */
  readonly write: readonly string[];
  readonly read: readonly string[];
  /** `Bash`, or `Bash(git log:*)` for certain commands only. */
  readonly tools: readonly string[];
  /** `sbt compile`: of sbt only this. */
  readonly commands: readonly string[] | null;
  readonly model: string | null;
  readonly session: AgentSession;
  readonly reportServer: McpServer | null;
  /** How long the agent may take to answer the first greeting. */
  readonly startMs: number;
}
