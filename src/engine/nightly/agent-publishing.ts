import { parseNetworkRules } from "../../policy/access/network-rule.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { ForgeCredentials } from "../../ports/forge.ts";
import { StepEnd, type StepContext } from "../run/step-context.ts";

/** True if the pipeline defers to the setting `improve.publish`, the setting is `agent`, and the project has a forge. */
export function agentPublishes({ pipeline, settings }: Pick<StepContext, "pipeline" | "settings">): boolean {
  const isUpToSetting = pipeline.policy.publish.by === "improve.publish";
  return isUpToSetting && settings.forge !== null && settings.improve.publish === "agent";
}

/** Fails before a night spends money on a change that its agent could not publish. */
export function checkAgentCanPublish(context: StepContext): void {
  const { ports, project, settings } = context;
  if (!agentPublishes(context) || settings.sandbox.mode !== "enforce") return;
  const forge = ports.forges.open(project, settings);
  if (forge !== null) requireSandboxAllowsForge(settings, forge.issueCredentials());
}

/** Fails before credentials are issued to a run that could not reach the forge from the sandbox. */
export function requireSandboxAllowsForge(
  { sandbox }: Pick<Settings, "sandbox">,
  { network }: Pick<ForgeCredentials, "network">,
): void {
  const { problems } = sandbox.mode === "enforce" ? parseNetworkRules(network) : { problems: [] };
  if (problems.length === 0) return;
  const summary = `the agent should publish, but the sandbox does not allow access to the forge: ${problems.join(" ")} Set improve.publish: engine.`;
  throw new StepEnd("sandbox_refused", summary);
}
