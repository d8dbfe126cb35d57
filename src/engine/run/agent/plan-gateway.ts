import { describeKeys, findModelAccess } from "../../../policy/access/model-access.ts";
import type { RunSettings } from "../../../core/settings/resolve-run.ts";
import type { Agent } from "../../../ports/agent.ts";
import type { GatewayPlan } from "../../../ports/gateway.ts";
import { StepEnd, type StepContext } from "../step-context.ts";

/** Where the gateway is, seen from inside; outside of a sandbox the supervisor puts the real port in its place. */
export const GATEWAY_URL = "http://127.0.0.1:3129";

/** What may stand in a header. The supervisor refuses everything else too, but there it is an accident without a name. */
const SENDABLE = /^[\x21-\x7e]+$/;

export interface PlannedGateway {
  readonly plan: GatewayPlan;
  readonly keys: Readonly<Record<string, string>>;
}

/** Null for a CLI that takes no address for its model, and so reaches it by itself, with what it was granted. */
export function planGateway(context: StepContext, agent: Agent, runSettings: RunSettings): PlannedGateway | null {
  const { ports, run, settings } = context;
  const api = agent.capabilities.gateway;
  if (api === null) return null;
  const access = findModelAccess(api, ports.host.env);
  // A line break at the end comes with whatever wrote the key into a file.
  const key = access === null ? "" : (ports.host.env[access.keyName]?.trim() ?? "");
  if (access === null || key === "")
    throw new StepEnd(
      "login_expired",
      `there is no key for ${agent.kind}: set ${describeKeys(api)} where the daemon is started, and start it again`,
    );
  if (!SENDABLE.test(key))
    throw new StepEnd(
      "login_expired",
      `${access.keyName} is no key: within it there ${describeOddity(key)}, and only letters, digits and signs of ASCII can be sent; set it where the daemon is started, and start it again`,
    );
  return {
    plan: {
      api,
      ...access,
      nonce: ports.digest(`gateway of ${run.id} ${run.token} ${ports.clock.newId("run")}`).slice(0, 40),
      limitUsd: runSettings.maxBudgetUsd,
      limitTokens: settings.budget.runTokens,
      prices: ports.agents.prices,
    },
    keys: { [access.keyName]: key },
  };
}

function describeOddity(key: string): string {
  if (/[\r\n]/.test(key)) return "is a line break";
  if (/\s/.test(key)) return "is white space";
  return "are control characters or letters beyond ASCII";
}
