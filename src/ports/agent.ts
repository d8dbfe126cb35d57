import type { JsonSchema } from "../core/outcomes/simplify-schema.ts";
import type { TranscriptEvent } from "../core/task/documents/transcript.ts";

/** An agent CLI: two pure functions and a description of its capabilities. It starts no process itself. */
export interface Agent {
  readonly kind: string;
  readonly capabilities: AgentCapabilities;
  /** Returns the command for one run. `argv` contains neither secrets nor the prompt. */
  command(run: AgentRun): AgentCommand;
  /** Translates one line of output. An unknown line becomes `raw`. Never throws. */
  parseLine(line: string): readonly TranscriptEvent[];
  /** The program to look for on PATH. Null if there is none. */
  readonly program: AgentProgram | null;
  /** The tools that a plan may give to it. Missing if they cannot be known. */
  readonly tools?: readonly AgentTool[];
}

export interface AgentTool {
  readonly name: string;
  /** For the planner: what it is good for. */
  readonly description: string;
}

export interface AgentProgram {
  readonly name: string;
  /** Arguments that print its version. Empty for unknown programs, which might start to work when called. */
  readonly versionArgs: readonly string[];
  /** The oldest supported version, such as `2.1.300`. Null means any. */
  readonly oldest: string | null;
  /** Installation instructions for people. */
  readonly install: string;
}

export interface AgentCapabilities {
  readonly sessions: boolean;
  readonly mcp: boolean;
  /** The model API it uses when given a base URL. Null if its base URL cannot be changed. */
  readonly gateway: ModelApi | null;
}

export type ModelApi = "anthropic" | "openai" | "gemini";

export interface AgentRun {
  readonly model: string | null;
  readonly maxTurns: number | null;
  readonly maxBudgetUsd: number | null;
  readonly tools: readonly string[];
  /** Programs available in the sandbox; further words are tool rules (`sbt compile`). Null means all system programs. */
  readonly commands: readonly string[] | null;
  readonly session: AgentSession;
  /** File with the rendered prompt. The supervisor writes it to stdin. */
  readonly promptFile: string;
  /** The agent's current directory. */
  readonly workspace: string;
  readonly mayWrite: boolean;
  /** Additional paths outside the workspace. */
  readonly write: readonly string[];
  readonly read: readonly string[];
  /** Private HOME, where the CLI stores its sessions. Kept per task and role until the task ends. */
  readonly home: string;
  /** A directory for `AgentCommand.files` that the agent can read but not write. */
  readonly filesDir: string;
  /** The tool `report_outcome` as an MCP server on stdio. Null if there is none. */
  readonly reportServer: McpServer | null;
  /** The MCP servers of the approved plan. */
  readonly mcpServers?: readonly AgentMcpServer[];
  /** From the approved plan, in addition to the prompt. Null if there is none. */
  readonly systemPrompt?: string | null;
  /** JSON Schema of the outcomes that the role may report. */
  readonly schema: JsonSchema;
  /** The model gateway as seen from inside the sandbox. Null if the CLI connects to its model directly. */
  readonly gateway: InnerGateway | null;
}

export interface InnerGateway {
  readonly url: string;
  /** The nonce. */
  readonly key: string;
  /** Kind of the real key: some CLIs report usage limits only for subscriptions. Default `api_key`. */
  readonly keyKind?: "api_key" | "token";
}

/** `new`: the id for a new session, if the CLI accepts one (a UUID). `resume`: the session id that an earlier run of the task reported. */
export interface AgentSession {
  readonly kind: "new" | "resume";
  readonly id: string;
}

export interface McpServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A server whose tools the agent may use. The bridge that it starts refuses all other tools of the server. */
export interface AgentMcpServer {
  readonly name: string;
  readonly server: McpServer;
  readonly tools: readonly string[];
}

export interface AgentCommand {
  readonly argv: readonly [string, ...string[]];
  /** Added to the run's environment. Must not contain secrets. The gateway URL belongs here or in `argv`, never in a file. */
  readonly env: Readonly<Record<string, string>>;
  readonly prompt: "stdin" | "file";
  /** Additional files and directories that the program must be able to read. */
  readonly read: readonly string[];
  /** Files to write before the program starts: absolute path (in `filesDir` or `home`) to content. */
  readonly files: Readonly<Record<string, string>>;
  /** Workspace paths to hide: files the CLI would obey and has no option to ignore. */
  readonly hide?: readonly string[];
}
