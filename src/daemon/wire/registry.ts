import type { AgentDefinition } from "../../adapters/agents/definition.ts";
import { AGENTS } from "../../adapters/agents/index.ts";
import type { ForgeDefinition } from "../../adapters/forges/definition.ts";
import { FORGES } from "../../adapters/forges/index.ts";
import type { NotifierDefinition } from "../../adapters/notifiers/definition.ts";
import { NOTIFIERS } from "../../adapters/notifiers/index.ts";
import { createConfigFormat, type ConfigFormat } from "../../config/parse/parse-config.ts";

export interface Definitions {
  readonly agents: readonly AgentDefinition[];
  readonly forges: readonly ForgeDefinition[];
  readonly notifiers: readonly NotifierDefinition[];
}

/** All agents, forges and notifiers, and the configuration format that they define together. */
export interface Registry extends Definitions {
  readonly format: ConfigFormat;
}

export function createRegistry(definitions: Definitions): Registry {
  return { ...definitions, format: createConfigFormat(definitions) };
}

/** The built-in agents, forges and notifiers. */
export const REGISTRY: Registry = createRegistry({ agents: AGENTS, forges: FORGES, notifiers: NOTIFIERS });
