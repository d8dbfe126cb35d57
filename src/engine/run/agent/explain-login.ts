import type { Outcome } from "../../../core/outcomes/outcome.ts";
import { resolveRun } from "../../../core/settings/resolve-run.ts";
import type { Role } from "../../../core/task/role.ts";
import { withFullStop } from "../../../core/text/with-full-stop.ts";
import { describeRejectedKey } from "../../../policy/access/model-access.ts";
import { outcomeOf, type StepContext } from "../step-context.ts";

/**
 * Adds what a person can do about a rejected key. If the keys changed after the run was started, the run says nothing about the
 * new ones: it is repeated instead of parking the agent.
 */
export function explainLogin(context: StepContext, role: Role, outcome: Outcome): Outcome {
  if (outcome.name !== "login_expired") return outcome;
  const { ports, run, settings, state, task } = context;
  if ((run.startedAt ?? 0) < ports.host.keysChangedAt())
    return outcomeOf(
      "interrupted",
      `${withFullStop(outcome.summary)} It is repeated, because the keys may have changed.`,
    );
  const agent = ports.agents.create(resolveRun(settings, state.agent, task.options, role).agentSettings);
  const api = agent.capabilities.gateway;
  const remedy = api === null ? null : describeRejectedKey(api, ports.host.env);
  return remedy === null ? outcome : { ...outcome, summary: `${withFullStop(outcome.summary)} ${remedy}` };
}
