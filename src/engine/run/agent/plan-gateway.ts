import { describeKeys, findModelAccess } from "../../../policy/access/model-access.ts";
import type { RunSettings } from "../../../core/settings/resolve-run.ts";
import type { Agent } from "../../../ports/agent.ts";
import type { GatewayPlan } from "../../../ports/gateway.ts";
import { StepEnd, type StepContext } from "../step-context.ts";

/** Address of the gateway inside the sandbox. Without a sandbox, the supervisor replaces it with the real port. */
export const GATEWAY_URL = "http://127.0.0.1:3129";

/** Characters allowed in a header. Checked here because the error message can name the variable. */
const PRINTABLE_ASCII = /^[\x21-\x7e]+$/;

export interface PlannedGateway {
  readonly plan: GatewayPlan;
  readonly keys: Readonly<Record<string, string>>;
}

/** Returns null for a CLI that cannot be pointed to a gateway. It reaches its model directly, with the secrets granted to it. */
export function planGateway(context: StepContext, agent: Agent, runSettings: RunSettings): PlannedGateway | null {
  const { ports, run, settings } = context;
  const api = agent.capabilities.gateway;
  if (api === null) return null;
  const access = findModelAccess(api, ports.host.env);
  // Keys read from a file often end with a line break.
  const key = access === null ? "" : (ports.host.env[access.keyName]?.trim() ?? "");
  if (access === null || key === "")
    throw new StepEnd(
      "login_expired",
      `there is no key for ${agent.kind}: set ${describeKeys(api)} in the environment of the daemon and restart it`,
    );
  if (!PRINTABLE_ASCII.test(key))
    throw new StepEnd(
      "login_expired",
      `${access.keyName} is not a valid key: it contains ${describeInvalidCharacters(key)}, and only printable ASCII characters are allowed; correct it in the environment of the daemon and restart it`,
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

function describeInvalidCharacters(key: string): string {
  if (/[\r\n]/.test(key)) return "a line break";
  if (/\s/.test(key)) return "white space";
  return "control or non-ASCII characters";
}
