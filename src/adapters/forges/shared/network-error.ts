import { ForgeError } from "../../../core/text/errors.ts";

interface Explanation {
  readonly when: RegExp;
  readonly reason: string;
  readonly hint: string;
  readonly isPermanent?: true;
}

/** Matched against the code of Node's error. */
const EXPLANATIONS: readonly Explanation[] = [
  {
    when: /^(ENOTFOUND|EAI_)/,
    reason: "the host name cannot be resolved",
    hint: "Check `forge.url`, the network and the DNS.",
  },
  { when: /^ECONNREFUSED/, reason: "the connection was refused", hint: "Check `forge.url`." },
  {
    when: /CERT|SIGNATURE|SELF_SIGNED|ERR_TLS|ERR_SSL|EPROTO/,
    reason: "its certificate is not trusted",
    hint: "Set NODE_EXTRA_CA_CERTS to your CA certificate in the daemon's environment.",
    isPermanent: true,
  },
  {
    when: /^(ERR_INVALID|UND_ERR_INVALID)/,
    reason: "the request cannot be sent",
    hint: "Check `forge.url`, and that the token is one line without spaces.",
    isPermanent: true,
  },
];
const OTHER: Explanation = { when: /^/, reason: "the connection failed", hint: "Check the network." };

const permanentErrors = new WeakSet<ForgeError>();

/** The message must not contain the request, which has the token in it. */
export function toNetworkError(host: string, error: unknown, timeoutMs: number): ForgeError {
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")) {
    return new ForgeError("unreachable", `${host} did not answer within ${timeoutMs / 1000} seconds.`, {
      hint: "Check the network.",
    });
  }
  const code = errorCode(error);
  const { reason, hint, isPermanent } = EXPLANATIONS.find(({ when }) => when.test(code)) ?? OTHER;
  const networkError = new ForgeError(
    "unreachable",
    `${host} cannot be reached: ${reason}${code === "" ? "" : ` (${code})`}.`,
    {
      hint,
    },
  );
  if (isPermanent) permanentErrors.add(networkError);
  return networkError;
}

/** True if a retry a moment later may succeed. */
export function isTransient(error: ForgeError): boolean {
  return error.trouble === "unreachable" && !permanentErrors.has(error);
}

/** `fetch` wraps the cause, sometimes more than once. A host with several addresses has one error per address. */
function errorCode(error: unknown): string {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if ("code" in current && typeof current.code === "string") return current.code;
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return "";
}
