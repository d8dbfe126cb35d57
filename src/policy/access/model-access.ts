/** How a model is reached, according to the user's environment. */
export interface ModelAccess {
  readonly upstream: string;
  readonly keyName: string;
  readonly keyKind: "api_key" | "token";
}

interface ModelProvider {
  readonly upstream: string;
  /** The CLIs' own variable for another base URL. */
  readonly addressName: string;
  readonly keys: readonly { readonly name: string; readonly kind: "api_key" | "token" }[];
}

const PROVIDERS = {
  anthropic: {
    upstream: "https://api.anthropic.com",
    addressName: "ANTHROPIC_BASE_URL",
    keys: [
      { name: "ANTHROPIC_API_KEY", kind: "api_key" },
      // A long-lived token of a subscription (`claude setup-token`). Login files are never copied.
      { name: "CLAUDE_CODE_OAUTH_TOKEN", kind: "token" },
    ],
  },
  openai: {
    upstream: "https://api.openai.com",
    addressName: "OPENAI_BASE_URL",
    keys: [{ name: "OPENAI_API_KEY", kind: "api_key" }],
  },
  gemini: {
    upstream: "https://generativelanguage.googleapis.com",
    addressName: "GOOGLE_GEMINI_BASE_URL",
    keys: [
      { name: "GEMINI_API_KEY", kind: "api_key" },
      { name: "GOOGLE_API_KEY", kind: "api_key" },
    ],
  },
} as const satisfies Record<string, ModelProvider>;

export type ModelProviderName = keyof typeof PROVIDERS;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns null if no key is set, so this model cannot be used. */
export function findModelAccess(api: ModelProviderName, env: Environment): ModelAccess | null {
  const { upstream, addressName, keys } = PROVIDERS[api];
  const key = keys.find(({ name }) => isSet(env[name]));
  if (key === undefined) return null;
  const address = env[addressName];
  // The base URL often contains the API version, which the CLI's requests repeat.
  const base = isSet(address) ? address.replace(/\/+$/, "").replace(/\/v1$/, "") : upstream;
  return { upstream: base, keyName: key.name, keyKind: key.kind };
}

/** All variables with the key or the base URL of a model provider. */
export function listModelVariables(): readonly string[] {
  return Object.values(PROVIDERS).flatMap(({ keys, addressName }) => [...keys.map(({ name }) => name), addressName]);
}

/** Why the key for this model cannot be used, and what to do. Null if it can be used. Never contains the key itself. */
export function findKeyProblem(api: ModelProviderName, env: Environment): string | null {
  const { keys } = PROVIDERS[api];
  const access = findModelAccess(api, env);
  const key = access === null ? "" : (env[access.keyName]?.trim() ?? "");
  if (access === null || key === "")
    return `no API key: ${describeRemedy(keys[0].name)}${keys.length === 1 ? "" : ` (${keys.map(({ name }) => name).join(" or ")})`}`;
  const flaw = findFlaw(key);
  return flaw === null ? null : `${access.keyName} is not a valid key: it ${flaw}; ${describeRemedy(access.keyName)}`;
}

/** What to do if the provider rejected the key. Null if none is set. */
export function describeRejectedKey(api: ModelProviderName, env: Environment): string | null {
  const access = findModelAccess(api, env);
  return access === null ? null : `To replace ${access.keyName}, ${describeRemedy(access.keyName)}.`;
}

function describeRemedy(name: string): string {
  return `run "nightshift auth add ${name}", or set ${name} in the environment of the daemon and restart it`;
}

/** Keys are sent in a header, which allows only printable ASCII characters. */
function findFlaw(key: string): string | null {
  if (PLACEHOLDER.test(key)) return "is a placeholder";
  if (/^(["'`]).*\1$/s.test(key)) return "is in quotation marks";
  if (/[\r\n]/.test(key)) return "contains a line break";
  if (/\s/.test(key)) return "contains white space";
  return /^[\x21-\x7e]+$/.test(key) ? null : "contains control or non-ASCII characters";
}

/** Texts that people copy from instructions instead of a key. */
const PLACEHOLDER =
  /^<.*>$|^\$\{?\w+\}?$|…|\.{3}|^(?:your|my)[-_ ]|^(?:x+|key|changeme|placeholder|none|null|undefined)$/i;

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}
