import type { Pipeline } from "../../../core/pipeline/pipeline.ts";
import { resolveRun } from "../../../core/settings/resolve-run.ts";
import type { Settings } from "../../../core/settings/settings.ts";
import type { Task } from "../../../core/task/task.ts";
import { UserError } from "../../../core/text/errors.ts";
import { findKeyProblem } from "../../../policy/access/model-access.ts";
import type { Agent } from "../../../ports/agent.ts";
import type { EnginePorts } from "../../ports.ts";

export interface PlannedTask {
  readonly pipeline: Pipeline;
  readonly settings: Settings;
  readonly task: Task;
}

/** The agents of all states. Throws if one is not configured: now, not in the middle of the night. */
export function createAgents(ports: EnginePorts, { pipeline, settings, task }: PlannedTask): readonly Agent[] {
  return Object.values(pipeline.states).flatMap((state) =>
    state.step.kind === "agent"
      ? [ports.agents.create(resolveRun(settings, state.agent, task.options, state.step.role).agentSettings)]
      : [],
  );
}

/** The daemon's environment decides, because its agents use these keys. */
export function requireKeys(ports: EnginePorts, planned: PlannedTask): void {
  const problems = createAgents(ports, planned).flatMap((agent) => {
    const problem = findAgentKeyProblem(ports, agent);
    return problem === null ? [] : [`${agent.kind}: ${problem}.`];
  });
  if (problems.length > 0)
    throw new UserError(
      "conflict",
      `The task was not started, because its agent has no usable key. ${[...new Set(problems)].join(" ")}`,
      "`nightshift agents` shows which agents can be used.",
    );
}

export function findAgentKeyProblem({ host }: EnginePorts, { capabilities: { gateway } }: Agent): string | null {
  return gateway === null ? null : findKeyProblem(gateway, host.env);
}
