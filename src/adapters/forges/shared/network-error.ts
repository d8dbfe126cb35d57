import { ForgeError } from "../../../core/text/errors.ts";

interface Explanation {
  readonly when: RegExp;
  readonly say: string;
  readonly hint: string;
  readonly lasts?: true;
}

/** By the code of Node's error. */
const EXPLANATIONS: readonly Explanation[] = [
  { when: /^(ENOTFOUND|EAI_)/, say: "its name is not known", hint: "Check `forge.url`, the network and the DNS." },
  { when: /^ECONNREFUSED/, say: "nothing listens there", hint: "Check `forge.url`." },
  {
    when: /CERT|SIGNATURE|SELF_SIGNED|ERR_TLS|ERR_SSL|EPROTO/,
    say: "its certificate is not trusted here",
    hint: "Give the daemon your authority's certificate with NODE_EXTRA_CA_CERTS.",
    lasts: true,
  },
  {
    when: /^(ERR_INVALID|UND_ERR_INVALID)/,
    say: "the request cannot be sent",
    hint: "Check `forge.url`, and that the token is one line without spaces.",
    lasts: true,
  },
];
const OTHER: Explanation = { when: /^/, say: "the connection broke", hint: "Check the network." };

const lasting = new WeakSet<ForgeError>();

/** What went wrong, without what was sent: the request holds the token. */
export function networkSentence(host: string, error: unknown, limitMs: number): ForgeError {
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")) {
    return new ForgeError("unreachable", `${host} did not answer within ${limitMs / 1000} seconds.`, {
      hint: "Check the network.",
    });
  }
  const code = codeOf(error);
  const { say, hint, lasts } = EXPLANATIONS.find(({ when }) => when.test(code)) ?? OTHER;
  const told = new ForgeError("unreachable", `${host} cannot be reached: ${say}${code === "" ? "" : ` (${code})`}.`, {
    hint,
  });
  if (lasts) lasting.add(told);
  return told;
}

/** Whether asking again a moment later may help. */
export function isPassing(error: ForgeError): boolean {
  return error.trouble === "unreachable" && !lasting.has(error);
}

/** `fetch` wraps what happened, sometimes more than once; a host with several addresses has one error for each. */
function codeOf(error: unknown): string {
  let at: unknown = error;
  for (let depth = 0; depth < 5 && at instanceof Error; depth++) {
    if ("code" in at && typeof at.code === "string") return at.code;
    at = at instanceof AggregateError ? at.errors[0] : at.cause;
  }
  return "";
}
