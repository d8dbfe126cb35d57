import { parseNetworkRules } from "../../../policy/access/network-rule.ts";
import type { Settings } from "../../../core/task/settings.ts";
import type { ForgeLoan } from "../../../ports/forge.ts";
import { StepEnd, type StepContext } from "../step-context.ts";
import { wantsAgent } from "./wants-agent.ts";

/** Before a night spends anything on a change that its agent could not publish. */
export function requireReach(context: StepContext): void {
  const { ports, project, settings } = context;
  if (!wantsAgent(context) || settings.sandbox.mode !== "enforce") return;
  const forge = ports.forges.open(project, settings);
  if (forge !== null) requireReachOf(settings, forge.lend());
}

/** Before the token is lent to a run that could not start. */
export function requireReachOf({ sandbox }: Pick<Settings, "sandbox">, { network }: Pick<ForgeLoan, "network">): void {
  const { problems } = sandbox.mode === "enforce" ? parseNetworkRules(network) : { problems: [] };
  if (problems.length === 0) return;
  const summary = `an agent is to publish, and no run in the sandbox may reach the forge: ${problems.join(" ")} Set improve.publish: engine.`;
  throw new StepEnd("sandbox_refused", summary);
}
