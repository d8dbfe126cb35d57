/** How a model is reached, from what stands in the person's environment. */
export interface ModelAccess {
  readonly upstream: string;
  readonly keyName: string;
  readonly keyKind: "api_key" | "token";
}

interface ModelPlace {
  readonly upstream: string;
  /** A variable that names another address, as the CLIs themselves know it. */
  readonly addressName: string;
  readonly keys: readonly { readonly name: string; readonly kind: "api_key" | "token" }[];
}

const PLACES = {
  anthropic: {
    upstream: "https://api.anthropic.com",
    addressName: "ANTHROPIC_BASE_URL",
    keys: [
      { name: "ANTHROPIC_API_KEY", kind: "api_key" },
      // A long-lived token of a subscription (`claude setup-token`); login files are never copied.
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
} as const satisfies Record<string, ModelPlace>;

export type ModelPlaceName = keyof typeof PLACES;

type Environment = Readonly<Record<string, string | undefined>>;

/** Null where no key is set: then nobody can reach this model from here. */
export function findModelAccess(api: ModelPlaceName, env: Environment): ModelAccess | null {
  const { upstream, addressName, keys } = PLACES[api];
  const key = keys.find(({ name }) => isSet(env[name]));
  if (key === undefined) return null;
  const address = env[addressName];
  // The address is often written with the API's version in it, which the CLI's own requests repeat.
  const base = isSet(address) ? address.replace(/\/+$/, "").replace(/\/v1$/, "") : upstream;
  return { upstream: base, keyName: key.name, keyKind: key.kind };
}

/** What to set, for people. */
export function describeKeys(api: ModelPlaceName): string {
  return PLACES[api].keys.map(({ name }) => name).join(" or ");
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}
