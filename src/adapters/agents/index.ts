import { didYouMean } from "../../core/did-you-mean.ts";
import { UserError } from "../../core/errors.ts";
import type { AgentSettings } from "../../core/settings.ts";
import type { Agent, AgentFactory } from "../../ports/agent.ts";
import { command } from "./command.ts";
import { scripted } from "./scripted.ts";

const agents = { command, scripted } satisfies Record<string, AgentFactory>;

const AGENT_KINDS: readonly string[] = Object.keys(agents);

/** Names that the settings know already. */
const COMING: readonly string[] = ["claude-code", "codex", "gemini", "qwen", "opencode", "cursor", "aider", "acp"];

export function createAgent(settings: AgentSettings): Agent {
  const factory = findFactory(settings.kind);
  if (factory !== null) return factory(settings);
  if (COMING.includes(settings.kind)) {
    throw new UserError(
      "invalid",
      `This version of Nightshift does not drive \`${settings.kind}\` yet; it drives ${AGENT_KINDS.join(" and ")}.`,
      "Wrap its CLI in a script of your own and name that script: `kind: command` (docs/agents.md).",
    );
  }
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
  /** Why it cannot be used, whatever is installed; null where nothing speaks against it. */
  readonly problem: string | null;
}

/** The configured agents as `nightshift agents` lists them. Looks at nothing on the machine. */
export function describeAgents(configured: Readonly<Record<string, AgentSettings>>): readonly AgentDescription[] {
  return Object.entries(configured).map(([name, settings]) => {
    try {
      return { name, kind: settings.kind, program: createAgent(settings).program, problem: null };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return {
        name,
        kind: settings.kind,
        program: null,
        problem: [error.message, error.hint].filter((text) => text !== null).join(" "),
      };
    }
  });
}

function findFactory(kind: string): AgentFactory | null {
  return Object.entries(agents).find(([name]) => name === kind)?.[1] ?? null;
}
