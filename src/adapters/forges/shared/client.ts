import type { z } from "zod";
import type { ForgeApiOptions } from "../definition.ts";
import type { ForgeResponse } from "./limits.ts";
import { createResponseCache } from "./response-cache.ts";
import { explainStatus, parseJson, parseAs } from "./responses.ts";
import type { ForgeMessageContext } from "./responses.ts";

/** Calls the JSON API of a forge. */
export interface ForgeClient {
  readonly context: ForgeMessageContext;
  get<T>(schema: z.ZodType<T>, request: ApiRequest): Promise<T>;
  /** Returns a text such as a log, which forges often keep on another server. */
  getText(request: ApiRequest): Promise<string>;
  /** For requests of which only the status or the headers matter. */
  send(request: ApiRequest): Promise<ForgeResponse>;
  /** Returns the items of all pages. */
  list<T>(schema: z.ZodType<T[]>, request: ApiRequest): Promise<T[]>;
}

export interface ApiRequest {
  /** Completes "cannot …" in the error. */
  readonly doing: string;
  readonly method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Relative to the API's URL. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** False if the request is not idempotent. */
  readonly repeatable?: boolean;
}

const MAX_PAGES = 100;

/** `headers` contain the token. */
export function createForgeClient(
  { api, context, exchange }: Pick<ForgeApiOptions, "api" | "context" | "exchange">,
  headers: Readonly<Record<string, string>>,
): ForgeClient {
  const cache = createResponseCache();
  async function send(request: ApiRequest, anonymousRedirects = false): Promise<ForgeResponse> {
    const { method = "GET", path, query = {}, body, repeatable = true } = request;
    const search = new URLSearchParams(query).toString();
    const url = `${api}${path}${search === "" ? "" : `?${search}`}`;
    const cached = method === "GET" ? cache.find(url) : null;
    const response = await exchange({
      method,
      url,
      anonymousRedirects,
      headers: {
        ...headers,
        "user-agent": "nightshift",
        ...(cached !== null && { "if-none-match": cached.etag }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      repeatable,
    });
    if (response.status === 304 && cached !== null) return cached.response;
    if (method === "GET") cache.keep(url, response);
    if (response.status >= 200 && response.status <= 299) return response;
    throw explainStatus(context, response, request.doing);
  }

  return {
    context,
    get: async (schema, request) => parseAs(context, schema, parseJson(context, await send(request))),
    getText: async (request) => (await send(request, true)).text,
    send: (request) => send(request),
    async list(schema, request) {
      const all = [];
      let page: string | null = "1";
      for (let seen = 0; page !== null && seen < MAX_PAGES; seen++) {
        const response = await send({ ...request, query: { ...request.query, per_page: "100", page } });
        all.push(...parseAs(context, schema, parseJson(context, response)));
        page = nextPage(response.headers);
      }
      return all;
    },
  };
}

/** GitLab sends the number, both send a URL. Only its page number is used, because it could point to another server. */
function nextPage(headers: Headers): string | null {
  const link = /<([^<>]+)>;\s*rel="next"/.exec(headers.get("link") ?? "")?.[1];
  const linked = link === undefined ? null : URL.parse(link)?.searchParams.get("page");
  const page = headers.get("x-next-page")?.trim() ?? linked;
  return page != null && /^\d{1,6}$/.test(page) ? page : null;
}
