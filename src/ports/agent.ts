import type { JsonSchema } from "../core/outcomes/simplify-schema.ts";
import type { TranscriptEvent } from "../core/task/transcript.ts";

/** An agent CLI, as two pure functions and a record of what it can do. It starts nothing itself. */
export interface Agent {
  readonly kind: string;
  readonly capabilities: AgentCapabilities;
  /** The command for one run. Nothing secret and no prompt in `argv`. */
  command(run: AgentRun): AgentCommand;
  /** What one line of its output means; a line it does not know is `raw`. Never throws. */
  parseLine(line: string): readonly TranscriptEvent[];
  /** The program to look for on PATH; null where there is none to look for. */
  readonly program: AgentProgram | null;
}

export interface AgentProgram {
  readonly name: string;
  /** How to ask its version. Empty: it must not be asked, a program we do not know would start to work. */
  readonly versionArgs: readonly string[];
  /** The oldest version that the adapter knows how to drive, such as `2.1.300`; null: any. */
  readonly oldest: string | null;
  /** How a person gets it. */
  readonly install: string;
}

export interface AgentCapabilities {
  readonly sessions: boolean;
  readonly mcp: boolean;
  /** Which API it speaks to a model when it is given another address for it; null: it takes none. */
  readonly gateway: ModelApi | null;
}

export type ModelApi = "anthropic" | "openai" | "gemini";

export interface AgentRun {
  readonly model: string | null;
  readonly maxTurns: number | null;
  readonly maxBudgetUsd: number | null;
  readonly tools: readonly string[];
  /** Programs of the sandbox, with words after them as rules (`sbt compile`); null: all of the system's. */
  readonly commands: readonly string[] | null;
  readonly session: AgentSession;
  /** The rendered prompt stands here; the supervisor feeds it to stdin. */
  readonly promptFile: string;
  /** What it works in; also its current directory. */
  readonly workspace: string;
  readonly mayWrite: boolean;
  /** Other places that it may use, outside of the workspace. */
  readonly write: readonly string[];
  readonly read: readonly string[];
  /** Its private HOME, kept per task and role until the task ends: where the CLI keeps its sessions. */
  readonly home: string;
  /** A directory for `AgentCommand.files` that it can read and not write. */
  readonly filesDir: string;
  /** The tool `report_outcome`, as an MCP server on stdio; null where there is none. */
  readonly reportServer: McpServer | null;
  /** The JSON Schema of what the role may report. */
  readonly schema: JsonSchema;
  /** The model gateway as seen from inside; null: the CLI reaches its model by itself. */
  readonly gateway: InnerGateway | null;
}

export interface InnerGateway {
  readonly url: string;
  /** The nonce. */
  readonly key: string;
  /** Of what kind the key behind it is: some CLIs speak of limits only to those who have a subscription. Default `api_key`. */
  readonly keyKind?: "api_key" | "token";
}

/** `new`: a session with this id where the CLI takes one (a UUID). `resume`: what an earlier run of the task said its session was. */
export interface AgentSession {
  readonly kind: "new" | "resume";
  readonly id: string;
}

export interface McpServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface AgentCommand {
  readonly argv: readonly [string, ...string[]];
  /** Added to the run's environment. Nothing secret. The gateway's address stands here or in `argv`, never in a file. */
  readonly env: Readonly<Record<string, string>>;
  readonly prompt: "stdin" | "file";
  /** Files and directories the program needs to see besides itself. */
  readonly read: readonly string[];
  /** Written before it starts: absolute path, in `filesDir` or in `home`, and content. */
  readonly files: Readonly<Record<string, string>>;
  /** Of the workspace, from its root: what the CLI would obey and cannot be told to leave alone. It sees nothing there. */
  readonly hide?: readonly string[];
}
