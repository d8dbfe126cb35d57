import { findMachineTrouble } from "../../core/outcomes/machine-trouble.ts";
import { outcomeOf, type Failure } from "../../core/outcomes/outcome.ts";
import { ForgeError, RemoteError, UserError } from "../../core/text/errors.ts";
import { withoutCredentials } from "../../core/text/without-credentials.ts";

/** The outcome of a step that threw this error. `home` is Nightshift's home directory. */
export function failureOf(error: unknown, home: string): Failure {
  const message = describeError(error);
  const trouble = findMachineTrouble(error, home);
  if (trouble === "disk") return outcomeOf("disk_full", message);
  if (trouble !== null) return outcomeOf("provider_down", message, { waits_for: trouble });
  if (error instanceof ForgeError) return forgeFailure(error, message);
  if (error instanceof RemoteError && error.trouble === "refused") return outcomeOf("publish_refused", message);
  if (error instanceof RemoteError) return outcomeOf("login_expired", message, { service: "remote" });
  return outcomeOf("agent_error", message);
}

function forgeFailure({ trouble, retryAt }: ForgeError, message: string): Failure {
  const name = FORGE_FAILURES[trouble];
  const outcome = name === "agent_error" ? outcomeOf(name, message) : outcomeOf(name, message, { service: "forge" });
  return { ...outcome, retryAt };
}

/** Only a request that the forge rejected counts against the task. */
const FORGE_FAILURES = {
  credentials: "login_expired",
  unreachable: "provider_down",
  rate_limit: "provider_down",
  missing: "agent_error",
  refused: "agent_error",
} as const satisfies Record<ForgeError["trouble"], Failure["name"]>;

/** The error message with its hint, if it has one, without the credentials of addresses. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return withoutCredentials(String(error));
  const hint = error instanceof UserError ? error.hint : null;
  const end = hint === null ? "" : `${/[.!?]$/.test(error.message) ? "" : ";"} ${hint}`;
  return withoutCredentials(`${error.message}${end}`);
}
