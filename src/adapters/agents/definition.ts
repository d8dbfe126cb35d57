import type { AgentSettings } from "../../core/settings/settings.ts";
import type { AgentKind } from "../../core/settings/kinds.ts";
import type { Agent } from "../../ports/agent.ts";
import type { AgentPackage } from "./shared/agent-package.ts";

/**
 * Everything that Nightshift knows about one kind of agent. `init` finds an agent, and `doctor` checks it, by the program that
 * the agent needs when nothing is configured.
 */
export interface AgentDefinition extends AgentKind {
  create(settings: AgentSettings): Agent;
  /** For a CLI that is tested as a real program. */
  readonly package?: AgentPackage;
  readonly docs: AgentDocs;
}

/** The row in docs/agents.md, in Markdown. */
export interface AgentDocs {
  readonly program: string;
  readonly modelAccess: string;
  readonly reporting: string;
  readonly testedWith: string;
}
