import { findVariantState } from "../../../core/pipeline/end-variant.ts";
import type { State } from "../../../core/pipeline/pipeline.ts";
import { resolveRun } from "../../../core/settings/resolve-run.ts";
import type { AgentChoice, TaskOptions } from "../../../core/task/task.ts";
import { describeChoice, MAX_VARIANTS, MIN_VARIANTS } from "../../../core/task/variants.ts";
import { UserError } from "../../../core/text/errors.ts";
import { terminalLine } from "../../../core/text/terminal-text.ts";
import type { EnginePorts } from "../../ports.ts";
import { findAgentKeyProblem, type PlannedTask } from "../require/require-agents.ts";

const MAX_NAME = 200;

/** Refuses a best-of task that could not work, with all problems and the agents that could be used. */
export async function requireVariants(
  ports: EnginePorts,
  bestOf: readonly AgentChoice[],
  planned: PlannedTask,
): Promise<void> {
  if (bestOf.length < MIN_VARIANTS || bestOf.length > MAX_VARIANTS)
    throw new UserError(
      "invalid",
      `Best of N needs ${MIN_VARIANTS} to ${MAX_VARIANTS} agents, not ${bestOf.length}.`,
      "Name them like claude-code,codex. The same agent may be named more than once, also with a model: codex:gpt-5.",
    );
  const { pipeline } = planned;
  const state = findVariantState(pipeline);
  if (state === null)
    throw new UserError(
      "invalid",
      `Pipeline ${pipeline.name} cannot use several agents: it has no implement step that is followed by checks${pipeline.each === null ? "" : ", or it works through a list"}.`,
      "Use chore, feature or bug, or leave out best-of.",
    );
  const problems = await findProblems(ports, bestOf, { ...planned, state });
  if (problems.length === 0) return;
  const usable = await listUsable(ports, { ...planned, state });
  throw new UserError(
    "invalid",
    `The task was not submitted. ${problems.join(" ")}`,
    `Agents that can be used: ${usable.join(", ") || "none"}. \`nightshift agents\` shows what the others need.`,
  );
}

interface Implementing extends PlannedTask {
  readonly state: State;
}

async function findProblems(
  ports: EnginePorts,
  bestOf: readonly AgentChoice[],
  planned: Implementing,
): Promise<readonly string[]> {
  const problems = await Promise.all(
    bestOf.map(async (choice) => {
      const problem = await findProblem(ports, choice, planned);
      return problem === null ? [] : [`${terminalLine(describeChoice(choice), MAX_NAME)}: ${asSentence(problem)}`];
    }),
  );
  return [...new Set(problems.flat())];
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

async function listUsable(ports: EnginePorts, planned: Implementing): Promise<readonly string[]> {
  const names = Object.keys(planned.settings.agents).toSorted();
  const problems = await Promise.all(names.map((agent) => findProblem(ports, { agent, model: null }, planned)));
  return names.filter((_, index) => problems[index] === null);
}

/** Why the agent cannot implement the task. Null if it can. */
async function findProblem(
  ports: EnginePorts,
  implementer: AgentChoice,
  { settings, state, task }: Implementing,
): Promise<string | null> {
  const options: TaskOptions = { ...task.options, implementer };
  try {
    const agent = ports.agents.create(resolveRun(settings, state.agent, options, "implement").agentSettings);
    return findAgentKeyProblem(ports, agent) ?? (await ports.agents.checkVersion(agent)).problem;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}
