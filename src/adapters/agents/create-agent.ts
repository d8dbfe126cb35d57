import type { AgentSettings } from "../../core/settings/settings.ts";
import { didYouMean } from "../../core/text/did-you-mean.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Agent, ModelApi } from "../../ports/agent.ts";
import type { AgentDefinition } from "./definition.ts";

type Definitions = readonly AgentDefinition[];

export function createAgent(definitions: Definitions, settings: AgentSettings): Agent {
  const found = definitions.find(({ kind }) => kind === settings.kind);
  if (found !== undefined) return found.create(settings);
  const known = definitions.map(({ kind }) => kind);
  throw new UserError(
    "invalid",
    `There is no agent of kind \`${settings.kind}\`.${didYouMean(settings.kind, known)} Known are ${known.join(", ")}.`,
    "For a program of your own write `kind: command` and its `command`.",
  );
}

/** Those that need no file to be known: each kind under its own name. */
export function builtInAgents(definitions: Definitions): Record<string, AgentSettings> {
  return Object.fromEntries(definitions.map(({ kind }) => [kind, { kind, model: null, options: {} }]));
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
export function describeAgents(
  definitions: Definitions,
  configured: Readonly<Record<string, AgentSettings>>,
): readonly AgentDescription[] {
  return Object.entries(configured).map(([name, settings]) => {
    try {
      const { program, capabilities } = createAgent(definitions, settings);
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
