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
  if (error instanceof ForgeError)
    return { ...outcomeOf(FORGE_FAILURES[error.trouble], message), retryAt: error.retryAt };
  return outcomeOf(error instanceof RemoteError ? "login_expired" : "agent_error", message);
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
