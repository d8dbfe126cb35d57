import type { ModelApi } from "../../ports/agent.ts";

/** The format of a request and its answer. OpenAI has two. */
export type Shape = "anthropic" | "responses" | "chat" | "gemini";

/** An allowed endpoint of an API. */
export interface Route {
  readonly shape: Shape;
  /** The path to request, with the allowed query parameters. */
  readonly path: string;
  /** Whether requests cost tokens. */
  readonly isBilled: boolean;
  /** The model in the path. Null if the body contains it. */
  readonly model: string | null;
}

interface Pattern {
  readonly method: "GET" | "POST";
  readonly path: RegExp;
  readonly shape: Shape;
  readonly isBilled: boolean;
}

// A segment starts with a word character, so it cannot be `..`.
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

/** Matches the URL without normalizing it: the paths of the API need no normalization. */
export function findRoute(api: ModelApi, method: string, url: string): Route | null {
  const [path = "", query = ""] = url.split("?", 2);
  for (const pattern of PATTERNS[api]) {
    const match = method === pattern.method ? pattern.path.exec(path) : null;
    if (match === null) continue;
    const { shape, isBilled } = pattern;
    return { shape, isBilled, path: path + allowedQuery(api, query), model: match.groups?.["model"] ?? null };
  }
  return null;
}

/** Drops keys and unknown parameters, which could change the meaning of the request. */
function allowedQuery(api: ModelApi, query: string): string {
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
