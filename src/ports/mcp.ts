import type { McpServerSettings } from "../core/settings/mcp.ts";
import type { SandboxSettings } from "../core/settings/settings.ts";
import type { AgentTool, McpServer } from "./agent.ts";
import type { RunPaths } from "./run-files.ts";
import type { BrokeredMcpServer } from "./supervisor.ts";

/** The MCP servers of the settings: what they offer, and how the agent of a run reaches them. */
export interface McpServers {
  /** Starts the server where a run would start it, and lists its tools. Results are reused for a while. Never rejects. */
  listTools(server: NamedMcpServer, sandbox: SandboxSettings, options?: ListToolsOptions): Promise<McpServerTools>;
  /** Does not start anything. */
  connect(params: ConnectParams): McpConnection;
}

export interface NamedMcpServer extends McpServerSettings {
  readonly name: string;
}

export interface ListToolsOptions {
  /** Do not use an earlier result. */
  readonly fresh?: boolean;
}

export interface McpServerTools {
  /** With the names that the server uses. Only those that the settings allow. */
  readonly tools: readonly AgentTool[];
  /** Why the server cannot be used, as a sentence. Null if it can. */
  readonly problem: string | null;
}

export interface ConnectParams {
  readonly server: NamedMcpServer;
  /** The server's tools in the approved plan. */
  readonly tools: readonly string[];
  readonly paths: Pick<RunPaths, "dir">;
}

export interface McpConnection {
  /** What the agent starts in its sandbox. */
  readonly server: McpServer;
  /** Paths and programs that this needs there. */
  readonly read: readonly string[];
  readonly programs: readonly string[];
  /** What the broker beside the supervisor does for it. Null for a server in the sandbox that gets no secrets. */
  readonly brokered: BrokeredMcpServer | null;
  /** The server's secrets, for the broker only. */
  readonly keys: Readonly<Record<string, string>>;
}
