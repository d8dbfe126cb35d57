import type { AgentCommand, AgentRun, InnerGateway, ModelApi } from "../../../ports/agent.ts";
import { geminiFiles } from "../gemini/gemini.ts";

/** An agent of which we know more than that it speaks the protocol. */
export interface KnownAgent {
  readonly api: ModelApi;
  /** How it takes another address for its model. */
  readonly env: (gateway: InnerGateway) => Readonly<Record<string, string>>;
  /** After those that the settings name. */
  readonly args?: readonly string[];
  readonly files?: (run: AgentRun) => AgentCommand["files"];
}

const ANTHROPIC: KnownAgent = {
  api: "anthropic",
  env: ({ url, key }) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key }),
};

/** By the names of their programs. */
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
    // In a folder that it does not trust it starts no servers, the one for the report among them.
    args: ["--skip-trust", "--extensions", "none"],
    // The server comes with the session.
    files: (run) => geminiFiles({ ...run, reportServer: null }),
  },
  qwen: { api: "openai", env: ({ url, key }) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key }) },
};
