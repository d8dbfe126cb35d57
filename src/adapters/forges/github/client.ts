import type { z } from "zod";
import { explainStatus, parseJson, parseAs } from "../shared/responses.ts";
import type { ForgeMessageContext } from "../shared/responses.ts";
import type { ForgeApiOptions } from "../definition.ts";
import type { ForgeResponse } from "../shared/limits.ts";

export interface GithubClient {
  readonly context: ForgeMessageContext;
  get<T>(schema: z.ZodType<T>, request: GithubRequest): Promise<T>;
  /** For requests of which only the status or the headers matter. */
  send(request: GithubRequest): Promise<ForgeResponse>;
  /** Returns the items of all pages. */
  list<T>(schema: z.ZodType<T[]>, request: GithubRequest): Promise<T[]>;
}

export interface GithubRequest {
  /** Completes "cannot …" in the error. */
  readonly doing: string;
  readonly method?: "GET" | "POST" | "PATCH";
  /** Relative to the API's URL. Made by `repoPath`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** False if the request is not idempotent. */
  readonly repeatable?: boolean;
}

type GithubClientOptions = Pick<ForgeApiOptions, "api" | "token" | "context" | "exchange">;

export interface RepositoryName {
  readonly owner: string;
  readonly repo: string;
}

const API_VERSION = "2022-11-28";
const MAX_PAGES = 100;

export function createGithubClient(options: GithubClientOptions): GithubClient {
  const { context } = options;
  return {
    context,
    get: async (schema, request) => parseAs(context, schema, parseJson(context, await send(options, request))),
    send: (request) => send(options, request),
    async list(schema, request) {
      const all = [];
      let page: string | null = "1";
      for (let seen = 0; page !== null && seen < MAX_PAGES; seen++) {
        const response = await send(options, { ...request, query: { ...request.query, per_page: "100", page } });
        all.push(...parseAs(context, schema, parseJson(context, response)));
        page = nextPage(response.headers);
      }
      return all;
    },
  };
}

export function repoPath({ owner, repo }: RepositoryName, ...rest: readonly (string | number)[]): string {
  return ["/repos", ...[owner, repo, ...rest].map((part) => encodeURIComponent(part))].join("/");
}

async function send(
  { api, token, context, exchange }: GithubClientOptions,
  request: GithubRequest,
): Promise<ForgeResponse> {
  const { method = "GET", path, query = {}, body, repeatable = true } = request;
  const search = new URLSearchParams(query).toString();
  const response = await exchange({
    method,
    url: `${api}${path}${search === "" ? "" : `?${search}`}`,
    headers: {
      authorization: `token ${token}`,
      accept: "application/vnd.github+json",
      "user-agent": "nightshift",
      "x-github-api-version": API_VERSION,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    repeatable,
  });
  if (response.status >= 200 && response.status <= 299) return response;
  throw explainStatus(context, response, request.doing);
}

/** Uses only the page number, because the URL could point to another server. */
function nextPage(headers: Headers): string | null {
  const link = /<([^<>]+)>;\s*rel="next"/.exec(headers.get("link") ?? "")?.[1];
  const page = link === undefined ? null : URL.parse(link)?.searchParams.get("page");
  return page != null && /^\d{1,6}$/.test(page) ? page : null;
}
