import type { AgentCommand, AgentRun, InnerGateway, ModelApi } from "../../../ports/agent.ts";
import { GEMINI_PACKAGE, geminiFiles } from "../gemini/gemini.ts";
import type { AgentPackage } from "../shared/agent-package.ts";

/** An ACP agent that Nightshift knows how to configure. */
export interface KnownAgent {
  readonly api: ModelApi;
  /** Environment variables that make it call the gateway. */
  readonly env: (gateway: InnerGateway) => Readonly<Record<string, string>>;
  /** Appended to the configured arguments. */
  readonly args?: readonly string[];
  readonly files?: (run: AgentRun) => AgentCommand["files"];
  /** If it is tested with the real program. */
  readonly package?: AgentPackage;
}

const ANTHROPIC: KnownAgent = {
  api: "anthropic",
  env: ({ url, key }) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key }),
};

/** Known agents by program name. */
export const KNOWN_AGENTS: Readonly<Record<string, KnownAgent>> = {
  "claude-agent-acp": ANTHROPIC,
  "claude-code-acp": ANTHROPIC,
  gemini: {
    api: "gemini",
    env: ({ url, key }) => ({
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: key,
      GEMINI_CLI_NO_RELAUNCH: "true",
    }),
    // Gemini only starts MCP servers, such as the report server, in a trusted folder.
    args: ["--skip-trust", "--extensions", "none"],
    // The session request already contains the report server.
    files: (run) => geminiFiles({ ...run, reportServer: null }),
    package: GEMINI_PACKAGE,
  },
  qwen: { api: "openai", env: ({ url, key }) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key }) },
};
