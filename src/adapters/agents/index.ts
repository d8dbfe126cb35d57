import { didYouMean } from "../../core/text/did-you-mean.ts";
import { UserError } from "../../core/text/errors.ts";
import type { AgentSettings } from "../../core/task/settings.ts";
import type { Agent, AgentFactory, ModelApi } from "../../ports/agent.ts";
import { acp } from "./acp/acp.ts";
import { aider } from "./aider/aider.ts";
import { claudeCode } from "./claude-code/claude-code.ts";
import { codex } from "./codex/codex.ts";
import { command } from "./command/command.ts";
import { cursor } from "./cursor/cursor.ts";
import { gemini } from "./gemini/gemini.ts";
import { opencode } from "./opencode/opencode.ts";
import { qwen } from "./qwen/qwen.ts";
import { scripted } from "./scripted/scripted.ts";

const agents = {
  "claude-code": claudeCode,
  codex,
  gemini,
  qwen,
  opencode,
  cursor,
  aider,
  acp,
  command,
  scripted,
} satisfies Record<string, AgentFactory>;

const AGENT_KINDS: readonly string[] = Object.keys(agents);

/** Those that need no file to be known: each kind under its own name. */
export const BUILT_IN_AGENTS: Readonly<Record<string, AgentSettings>> = Object.fromEntries(
  AGENT_KINDS.map((kind) => [kind, { kind, model: null, command: [], prompt: "stdin", script: null }]),
);

export function createAgent(settings: AgentSettings): Agent {
  const factory = findFactory(settings.kind);
  if (factory !== null) return factory(settings);
  throw new UserError(
    "invalid",
    `There is no agent of kind \`${settings.kind}\`.${didYouMean(settings.kind, AGENT_KINDS)} Known are ${AGENT_KINDS.join(", ")}.`,
    "For a program of your own write `kind: command` and its `command`.",
  );
}

export interface AgentDescription {
  readonly name: string;
  readonly kind: string;
  /** What to look for on PATH; null where there is nothing to look for. */
  readonly program: Agent["program"];
  /** Which model it speaks to by way of our gateway, for which a key is needed. */
  readonly gateway: ModelApi | null;
  /** Why it cannot be used, whatever is installed; null where nothing speaks against it. */
  readonly problem: string | null;
}

/** The configured agents as `nightshift agents` lists them. Looks at nothing on the machine. */
export function describeAgents(configured: Readonly<Record<string, AgentSettings>>): readonly AgentDescription[] {
  return Object.entries(configured).map(([name, settings]) => {
    try {
      const { program, capabilities } = createAgent(settings);
      return { name, kind: settings.kind, program, gateway: capabilities.gateway, problem: null };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return {
        name,
        kind: settings.kind,
        program: null,
        gateway: null,
        problem: [error.message, error.hint].filter((text) => text !== null).join(" "),
      };
    }
  });
}

function findFactory(kind: string): AgentFactory | null {
  return Object.entries(agents).find(([name]) => name === kind)?.[1] ?? null;
}
