import type { ModelApi } from "../../ports/agent.ts";

/** How a request and its answer are written: OpenAI has two ways. */
export type Shape = "anthropic" | "responses" | "chat" | "gemini";

/** What of an API a run may use. */
export interface Route {
  readonly shape: Shape;
  /** As it goes upstream, with what of the query is known. */
  readonly path: string;
  /** Free ones count nothing and are not counted. */
  readonly isBilled: boolean;
  /** Where the path names it. */
  readonly model: string | null;
}

interface Pattern {
  readonly method: "GET" | "POST";
  readonly path: RegExp;
  readonly shape: Shape;
  readonly isBilled: boolean;
}

// A segment begins with a letter or digit: `..` is none, however it is written.
const MODEL = String.raw`\w[\w.:-]*(?:/\w[\w.:-]*)?`;
const GEMINI = String.raw`/v1(?:alpha|beta)?/models`;

const PATTERNS: Readonly<Record<ModelApi, readonly Pattern[]>> = {
  anthropic: [
    billed("/v1/messages", "anthropic"),
    free("POST", "/v1/messages/count_tokens", "anthropic"),
    free("GET", `/v1/models(?:/${MODEL})?`, "anthropic"),
  ],
  openai: [
    billed("/v1/responses(?:/compact)?", "responses"),
    billed("/v1/chat/completions", "chat"),
    free("POST", "/v1/responses/input_tokens", "responses"),
    free("GET", `/v1/models(?:/${MODEL})?`, "responses"),
  ],
  gemini: [
    billed(String.raw`${GEMINI}/(?<model>\w[\w.-]*):(?:generateContent|streamGenerateContent)`, "gemini"),
    free("POST", String.raw`${GEMINI}/\w[\w.-]*:countTokens`, "gemini"),
    free("GET", String.raw`${GEMINI}(?:/\w[\w.-]*)?`, "gemini"),
  ],
};

const QUERY: Readonly<Record<ModelApi, Readonly<Record<string, RegExp>>>> = {
  anthropic: { beta: /^true$/, limit: /^\d+$/, after_id: /^[\w.-]+$/, before_id: /^[\w.-]+$/ },
  openai: { client_version: /^[\w.-]+$/ },
  gemini: { alt: /^(?:sse|json)$/, pageSize: /^\d+$/, pageToken: /^[\w=-]+$/ },
};

/** The address is compared as it came, never tidied up first: what has to be tidied up is no path of the API. */
export function findRoute(api: ModelApi, method: string, url: string): Route | null {
  const [path = "", query = ""] = url.split("?", 2);
  for (const pattern of PATTERNS[api]) {
    const match = method === pattern.method ? pattern.path.exec(path) : null;
    if (match === null) continue;
    const { shape, isBilled } = pattern;
    return { shape, isBilled, path: path + knownQuery(api, query), model: match.groups?.["model"] ?? null };
  }
  return null;
}

/** Keys in a query stay here, and so do parameters that would make another request of it. */
function knownQuery(api: ModelApi, query: string): string {
  const known = [...new URLSearchParams(query)].filter(([name, value]) => {
    const allowed = Object.hasOwn(QUERY[api], name) ? QUERY[api][name] : undefined;
    return allowed?.test(value) === true;
  });
  const text = new URLSearchParams(Object.fromEntries(known)).toString();
  return text === "" ? "" : `?${text}`;
}

function billed(path: string, shape: Shape): Pattern {
  return { method: "POST", path: new RegExp(`^${path}$`), shape, isBilled: true };
}

function free(method: Pattern["method"], path: string, shape: Shape): Pattern {
  return { method, path: new RegExp(`^${path}$`), shape, isBilled: false };
}
