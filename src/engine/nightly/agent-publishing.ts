import { parseNetworkRules } from "../../policy/access/network-rule.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { ForgeCredentials } from "../../ports/forge.ts";
import { StepEnd, type StepContext } from "../run/step-context.ts";

/** Only where the pipeline leaves it to the setting, and there is a forge whose token the agent can be given. */
export function agentPublishes({ pipeline, settings }: Pick<StepContext, "pipeline" | "settings">): boolean {
  const isUpToSetting = pipeline.policy.publish.by === "improve.publish";
  return isUpToSetting && settings.forge !== null && settings.improve.publish === "agent";
}

/** Before a night spends anything on a change that its agent could not publish. */
export function requireReach(context: StepContext): void {
  const { ports, project, settings } = context;
  if (!agentPublishes(context) || settings.sandbox.mode !== "enforce") return;
  const forge = ports.forges.open(project, settings);
  if (forge !== null) requireReachOf(settings, forge.issueCredentials());
}

/** Before the token is lent to a run that could not start. */
export function requireReachOf(
  { sandbox }: Pick<Settings, "sandbox">,
  { network }: Pick<ForgeCredentials, "network">,
): void {
  const { problems } = sandbox.mode === "enforce" ? parseNetworkRules(network) : { problems: [] };
  if (problems.length === 0) return;
  const summary = `an agent is to publish, and no run in the sandbox may reach the forge: ${problems.join(" ")} Set improve.publish: engine.`;
  throw new StepEnd("sandbox_refused", summary);
}
