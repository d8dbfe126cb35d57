import { UserError } from "../text/errors.ts";
import type { StateAgent } from "../pipeline/pipeline.ts";
import type { Role } from "../task/role.ts";
import { ROLE_DEFAULTS } from "../task/role-defaults.ts";
import type { AgentSettings, Settings } from "./settings.ts";
import type { TaskOptions } from "../task/task.ts";

/** What one run is started with, every layer applied. */
export interface RunSettings {
  /** The agent's name in the settings. */
  readonly agent: string;
  readonly agentSettings: AgentSettings;
  /** Null: the agent's own default. */
  readonly model: string | null;
  readonly timeoutMs: number;
  readonly idleMs: number;
  readonly maxTurns: number | null;
  readonly maxBudgetUsd: number | null;
  readonly tools: readonly string[];
}

/** The last two layers, pipeline state and this task's flags, over the settings that the files gave. */
export function resolveRun(settings: Settings, state: StateAgent, options: TaskOptions, role: Role): RunSettings {
  const own = settings.roles[role];
  const { agent, model } = chooseAgent(settings, [own, state, options]);
  const agentSettings = settings.agents[agent];
  if (agentSettings === undefined) throw unknownAgent(agent, settings);
  return {
    agent,
    agentSettings,
    model: model ?? agentSettings.model ?? builtInModel(agentSettings, role),
    timeoutMs: options.timeoutMs ?? state.timeoutMs ?? own.timeoutMs,
    idleMs: own.idleMs,
    maxTurns: state.maxTurns ?? own.maxTurns,
    maxBudgetUsd: least([
      state.maxBudgetUsd ?? own.maxBudgetUsd,
      options.budgetUsd,
      settings.budget.runUsd,
      settings.budget.taskUsd,
    ]),
    tools: state.tools ?? own.tools,
  };
}

interface AgentChoice {
  readonly agent: string | null;
  readonly model: string | null;
}

/**
 * Later layers win. A model only counts for the agent it was chosen for: `--agent codex` must not send a model that a
 * role names for another agent.
 */
function chooseAgent(settings: Settings, layers: readonly AgentChoice[]): { agent: string; model: string | null } {
  let agent = settings.agent;
  let model: string | null = null;
  for (const layer of layers) {
    if (layer.agent !== null && layer.agent !== agent) {
      agent = layer.agent;
      model = null;
    }
    model = layer.model ?? model;
  }
  return { agent, model };
}

function builtInModel(agent: AgentSettings, role: Role): string | null {
  return agent.kind === "claude-code" ? ROLE_DEFAULTS[role].claudeModel : null;
}

/** The smallest of those that are set: a budget never grows by naming another one. */
export function least(amounts: readonly (number | null)[]): number | null {
  const set = amounts.filter((amount) => amount !== null);
  return set.length === 0 ? null : Math.min(...set);
}

function unknownAgent(agent: string, settings: Settings): UserError {
  const known = Object.keys(settings.agents).toSorted().join(", ");
  return new UserError(
    "invalid",
    `There is no agent \`${agent}\`; known are: ${known}.`,
    "Name one of them, or define yours under `agents` in nightshift.yaml or config.yaml.",
  );
}
