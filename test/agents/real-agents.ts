import { dirname } from "node:path";
import { ensureAgent } from "../../scripts/ensure-agents.ts";
import { CLAUDE_PACKAGE } from "../../src/adapters/agents/claude-code/claude-code.ts";
import { CODEX_PACKAGE } from "../../src/adapters/agents/codex/codex.ts";
import { GEMINI_PACKAGE } from "../../src/adapters/agents/gemini/gemini.ts";
import { OPENCODE_PACKAGE } from "../../src/adapters/agents/opencode/opencode.ts";
import { QWEN_PACKAGE } from "../../src/adapters/agents/qwen/qwen.ts";
import type { AgentPackage } from "../../src/adapters/agents/shared/agent-package.ts";
import { openFakeAnthropic } from "../../src/testing/models/fake-anthropic.ts";
import { openFakeGemini } from "../../src/testing/models/fake-gemini.ts";
import type { FakeModel, ScriptedTurn } from "../../src/testing/models/fake-model.ts";
import { openFakeOpenai } from "../../src/testing/models/fake-openai.ts";
import type { Refusal, Reply, ToolUse } from "../../src/testing/models/fake-turn.ts";

/** A CLI that is installed for these tests, its model, and how its tools are called. */
export interface RealAgent {
  /** The kind in the settings. */
  readonly kind: string;
  /** The command, if the kind does not determine it. */
  readonly command?: readonly string[];
  readonly package: AgentPackage;
  /** A model of the price list. */
  readonly model: string;
  /** Cost of four requests with 1000 input and 50 output tokens. */
  readonly costUsd: number;
  readonly keyName: string;
  readonly addressName: string;
  openModel(turns: readonly ScriptedTurn<unknown>[]): Promise<FakeModel<unknown>>;
  /** The model's response when the account's quota is exhausted. */
  readonly quotaExhausted: (resetsAt: number) => Refusal;
  /** The model's responses for a wrong key and an overloaded server. */
  readonly refusals: { readonly login: Refusal; readonly overloaded: Refusal };
  /** Creates a new file. */
  create(path: string, line: string): ToolUse;
  shell(command: string): ToolUse;
  read(path: string): ToolUse;
  report(outcome: Readonly<Record<string, unknown>>): ToolUse;
}

/** Otherwise opencode would retry for a minute. */
const RETRY_SOON = { "retry-after-ms": "200" };

const OPENAI = {
  quotaExhausted: () => ({
    status: 429,
    error: "insufficient_quota",
    message: "You exceeded your current quota, please check your plan and billing details.",
    headers: RETRY_SOON,
  }),
  refusals: {
    login: { status: 401, error: "invalid_api_key", message: "Incorrect API key provided." },
    overloaded: { status: 503, error: "server_error", message: "The server is overloaded.", headers: RETRY_SOON },
  },
};

const claude: RealAgent = {
  kind: "claude-code",
  package: CLAUDE_PACKAGE,
  model: "claude-sonnet-4-5",
  costUsd: 0.015,
  keyName: "ANTHROPIC_API_KEY",
  addressName: "ANTHROPIC_BASE_URL",
  openModel: (turns) => openFakeAnthropic({ turns }),
  quotaExhausted: (resetsAt) => ({
    status: 429,
    error: "rate_limit_error",
    message: "This request would exceed your account's rate limit.",
    headers: {
      "retry-after": "7200",
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-reset": String(resetsAt / 1000),
      "anthropic-ratelimit-unified-representative-claim": "five_hour",
      "anthropic-ratelimit-unified-overage-status": "rejected",
    },
  }),
  refusals: {
    login: { status: 401, error: "authentication_error", message: "invalid x-api-key" },
    overloaded: { status: 529, error: "overloaded_error", message: "Overloaded" },
  },
  create: (path, line) => ({ name: "Write", input: { file_path: path, content: `${line}\n` } }),
  shell: (command) => ({ name: "Bash", input: { command, description: "try" } }),
  read: (path) => ({ name: "Read", input: { file_path: path } }),
  report: (input) => ({ name: "mcp__nightshift__report_outcome", input }),
};

const codex: RealAgent = {
  kind: "codex",
  package: CODEX_PACKAGE,
  model: "gpt-5-codex",
  costUsd: 0.007,
  keyName: "OPENAI_API_KEY",
  addressName: "OPENAI_BASE_URL",
  openModel: (turns) => openFakeOpenai({ turns }),
  ...OPENAI,
  // It has a file tool only for models it knows, and this version knows none of the price list.
  create: (path, line) => codex.shell(`echo '${line}' > ${path}`),
  shell: (command) => ({ name: "exec_command", input: { cmd: command } }),
  read: (path) => codex.shell(`cat ${path}`),
  report: (input) => ({ name: "report_outcome", namespace: "mcp__nightshift", input }),
};

const gemini: RealAgent = {
  kind: "gemini",
  package: GEMINI_PACKAGE,
  model: "gemini-2.5-pro",
  costUsd: 0.007,
  keyName: "GEMINI_API_KEY",
  addressName: "GOOGLE_GEMINI_BASE_URL",
  openModel: (turns) => openFakeGemini({ turns }),
  quotaExhausted: () => ({
    status: 429,
    error: "RESOURCE_EXHAUSTED",
    message: "You exceeded your current quota, please check your plan and billing details.",
    details: [
      {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel", quotaValue: "100" }],
      },
    ],
  }),
  refusals: {
    login: { status: 401, error: "UNAUTHENTICATED", message: "API key not valid. Please pass a valid API key." },
    overloaded: { status: 529, error: "UNAVAILABLE", message: "The model is overloaded." },
  },
  create: (path, line) => ({ name: "write_file", input: { file_path: path, content: `${line}\n` } }),
  shell: (command) => ({ name: "run_shell_command", input: { command, description: "try" } }),
  read: (path) => ({ name: "read_file", input: { file_path: path } }),
  report: (input) => ({ name: "mcp_nightshift_report_outcome", input }),
};

const opencode: RealAgent = {
  kind: "opencode",
  package: OPENCODE_PACKAGE,
  model: "gpt-5-codex",
  costUsd: 0.007,
  keyName: "OPENAI_API_KEY",
  addressName: "OPENAI_BASE_URL",
  openModel: (turns) => openFakeOpenai({ turns }),
  ...OPENAI,
  create: (path, line) => ({
    name: "apply_patch",
    input: { patchText: `*** Begin Patch\n*** Add File: ${path}\n+${line}\n*** End Patch` },
  }),
  shell: (command) => ({ name: "bash", input: { command, description: "try" } }),
  read: (path) => ({ name: "read", input: { filePath: path } }),
  report: (input) => ({ name: "nightshift_report_outcome", input }),
};

const qwen: RealAgent = {
  kind: "qwen",
  package: QWEN_PACKAGE,
  model: "gpt-5-codex",
  costUsd: 0.007,
  keyName: "OPENAI_API_KEY",
  addressName: "OPENAI_BASE_URL",
  openModel: (turns) => openFakeOpenai({ turns }),
  ...OPENAI,
  // In bare mode it has no tool to create a file.
  create: (path, line) => qwen.shell(`echo '${line}' > ${path}`),
  shell: (command) => ({ name: "run_shell_command", input: { command, description: "try", is_background: false } }),
  read: (path) => ({ name: "read_file", input: { file_path: path } }),
  report: (input) => ({ name: "mcp__nightshift__report_outcome", input }),
};

/** A CLI that also supports the Agent Client Protocol, driven by our generic adapter. */
const GEMINI_BY_ACP: RealAgent = { ...gemini, kind: "acp", command: ["gemini", "--acp"] };

export const REAL_AGENTS = { claude, codex, gemini, opencode } as const;

/** Including those that are only tested for the normal case. */
export const ALL_AGENTS = Object.entries({ ...REAL_AGENTS, qwen, "gemini by ACP": GEMINI_BY_ACP });

/** The folder with its program, for PATH. */
export function programDirOf(agent: RealAgent): string {
  return dirname(ensureAgent(agent.package));
}

/** A turn that uses these tools. */
export function useTools(...tools: readonly ToolUse[]): Reply {
  return { tools };
}
