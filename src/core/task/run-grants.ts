/** What a run was limited to when its agent started. */
export interface RunLimits {
  readonly timeoutMs: number;
  readonly maxTurns: number | null;
  readonly budgetUsd: number | null;
}

/** What an agent was granted when it started: the request of its role and plan, limited by the settings. */
export interface RunGrants {
  /** Tools of the agent. Empty: those that the agent has by itself. */
  readonly tools: readonly string[];
  /** The only programs. Null: all programs of the system. */
  readonly commands: readonly string[] | null;
  /** The workspace and directories outside of it. The run's own directories for its home, temporary files and report are left out. */
  readonly directories: readonly GrantedDirectory[];
  /** Hosts. The model's address is not one of them if the gateway connects the agent to it. */
  readonly network: readonly string[];
  /** Names of environment variables with a secret. */
  readonly secrets: readonly string[];
  /** Names of MCP servers. */
  readonly mcp: readonly string[];
  readonly sandbox: string;
}

export interface GrantedDirectory {
  readonly path: string;
  readonly access: "read" | "write";
}

/** Recorded directly before the agent starts, so that later changes of the settings do not change it. */
export interface RecordedGrants {
  readonly limits: RunLimits;
  readonly grants: RunGrants;
}
