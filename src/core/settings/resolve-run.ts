import { UserError } from "../text/errors.ts";
import type { StateAgent } from "../pipeline/pipeline.ts";
import type { StuckLimits } from "../task/detect-stuck.ts";
import { CHANGING_ROLES, PLANNING_ROLES, type Role } from "../task/role.ts";
import { ROLE_DEFAULTS } from "../task/role-defaults.ts";
import type { AgentSettings, Settings } from "./settings.ts";
import type { AgentChoice, TaskOptions } from "../task/task.ts";

/** Settings of one run, with every layer applied. */
export interface RunSettings {
  /** The agent's name in the settings. */
  readonly agent: string;
  readonly agentSettings: AgentSettings;
  /** Null: the agent's own default. */
  readonly model: string | null;
  readonly timeoutMs: number;
  readonly idleMs: number;
  readonly stuck: StuckLimits;
  readonly maxTurns: number | null;
  readonly maxBudgetUsd: number | null;
  readonly tools: readonly string[];
}

/** Applies the last two layers, pipeline state and task options, to the settings from the files. */
export function resolveRun(settings: Settings, state: StateAgent, options: TaskOptions, role: Role): RunSettings {
  const own = settings.roles[role];
  const implementer = CHANGING_ROLES.includes(role) ? options.implementer : undefined;
  const { agent, model } = chooseAgent(settings, [
    own,
    state,
    options,
    ...(implementer === undefined ? [] : [implementer]),
  ]);
  const agentSettings = settings.agents[agent];
  if (agentSettings === undefined) throw unknownAgent(agent, settings);
  return {
    agent,
    agentSettings,
    model: checkModel(model ?? agentSettings.model ?? builtInModel(agentSettings, role)),
    timeoutMs: timeoutOf(options, role) ?? state.timeoutMs ?? own.timeoutMs,
    idleMs: own.idleMs,
    stuck: own.stuck,
    maxTurns: options.maxTurns ?? state.maxTurns ?? own.maxTurns,
    maxBudgetUsd: least([
      state.maxBudgetUsd ?? own.maxBudgetUsd,
      options.budgetUsd,
      settings.budget.runUsd,
      settings.budget.taskUsd,
    ]),
    tools: state.tools ?? own.tools,
  };
}

function timeoutOf({ timeoutMs, planningTimeoutMs }: TaskOptions, role: Role): number | null {
  const isPlanning = PLANNING_ROLES.includes(role);
  return (isPlanning ? planningTimeoutMs : undefined) ?? timeoutMs;
}

/**
 * The login and the quota that a run uses. All projects share those of an agent that has no settings of its own. An agent with
 * settings, such as a command, is what the project defines under this name.
 */
export function accountOf({ agent, agentSettings }: RunSettings, project: string): string {
  const { kind, options } = agentSettings;
  return Object.keys(options).length === 0 ? kind : `${project}/${agent}`;
}

type Layer = Pick<TaskOptions, "agent" | "model">;

/**
 * Later layers win. A model applies only to the agent it was chosen for: `--agent codex` must not use a model that a role
 * sets for another agent.
 */
function chooseAgent(settings: Settings, layers: readonly Layer[]): AgentChoice {
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

/** The model is an argument of the agent's program, which must not take it for an option. */
function checkModel(model: string | null): string | null {
  if (model === null || /^[^-\s\p{C}][^\s\p{C}]*$/u.test(model)) return model;
  throw new UserError(
    "invalid",
    `${JSON.stringify(model)} is not the name of a model.`,
    "It has no spaces or control characters and does not start with a dash.",
  );
}

/** The smallest amount that is set. Another budget can only lower the limit. */
export function least(amounts: readonly (number | null)[]): number | null {
  const set = amounts.filter((amount) => amount !== null);
  return set.length === 0 ? null : Math.min(...set);
}

function unknownAgent(agent: string, settings: Settings): UserError {
  const known = Object.keys(settings.agents).toSorted().join(", ");
  return new UserError(
    "invalid",
    `There is no agent \`${agent}\`. Known agents: ${known}.`,
    "Use one of them, or define your own under `agents` in nightshift.yaml or config.yaml.",
  );
}
