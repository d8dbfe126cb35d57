import type { AgentSettings } from "../../core/settings/settings.ts";
import { didYouMean } from "../../core/text/did-you-mean.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Agent, ModelApi } from "../../ports/agent.ts";
import type { AgentDefinition } from "./definition.ts";

type Definitions = readonly AgentDefinition[];

export function createAgent(definitions: Definitions, settings: AgentSettings): Agent {
  const definition = definitions.find(({ kind }) => kind === settings.kind);
  if (definition !== undefined) return definition.create(settings);
  const known = definitions.map(({ kind }) => kind);
  throw new UserError(
    "invalid",
    `Unknown agent kind \`${settings.kind}\`.${didYouMean(settings.kind, known)} Known kinds: ${known.join(", ")}.`,
    "To use your own program, set `kind: command` and `command`.",
  );
}

/** Agents available without configuration: each kind under its own name. */
export function builtInAgents(definitions: Definitions): Record<string, AgentSettings> {
  return Object.fromEntries(definitions.map(({ kind }) => [kind, { kind, model: null, options: {} }]));
}

export interface AgentDescription {
  readonly name: string;
  readonly kind: string;
  /** The program to look for on PATH. Null if the agent needs none. */
  readonly program: Agent["program"];
  /** The model API that it calls through the gateway, which needs a key. Null if it does not use the gateway. */
  readonly gateway: ModelApi | null;
  /** The configuration error that makes it unusable. Null if there is none. */
  readonly problem: string | null;
}

/** Describes the configured agents for `nightshift agents`. Does not check what is installed. */
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
