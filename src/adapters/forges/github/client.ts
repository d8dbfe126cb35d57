import type { z } from "zod";
import { explainStatus, parseJson, readAs } from "../shared/answers.ts";
import type { ForgeMessageContext } from "../shared/answers.ts";
import type { Exchange } from "../shared/exchange.ts";
import type { ForgeResponse } from "../shared/limits.ts";

export interface GithubClient {
  readonly voice: ForgeMessageContext;
  get<T>(schema: z.ZodType<T>, request: GithubRequest): Promise<T>;
  /** For what matters by its status or headers alone. */
  send(request: GithubRequest): Promise<ForgeResponse>;
  /** Everything that all pages hold. */
  list<T>(schema: z.ZodType<T[]>, request: GithubRequest): Promise<T[]>;
}

export interface GithubRequest {
  /** Completes "cannot …" in the error. */
  readonly doing: string;
  readonly method?: "GET" | "POST" | "PATCH";
  /** Below the API's address, made by `repoPath`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** False: sent twice, it may do something twice. */
  readonly repeatable?: boolean;
}

export interface GithubClientOptions {
  readonly api: string;
  readonly token: string;
  readonly voice: ForgeMessageContext;
  readonly exchange: Exchange;
}

export interface RepositoryName {
  readonly owner: string;
  readonly repo: string;
}

const API_VERSION = "2022-11-28";
const MOST_PAGES = 100;

export function createGithubClient(options: GithubClientOptions): GithubClient {
  const { voice } = options;
  return {
    voice,
    get: async (schema, request) => readAs(voice, schema, parseJson(voice, await send(options, request))),
    send: (request) => send(options, request),
    async list(schema, request) {
      const all = [];
      let page: string | null = "1";
      for (let seen = 0; page !== null && seen < MOST_PAGES; seen++) {
        const answer = await send(options, { ...request, query: { ...request.query, per_page: "100", page } });
        all.push(...readAs(voice, schema, parseJson(voice, answer)));
        page = nextPage(answer.headers);
      }
      return all;
    },
  };
}

export function repoPath({ owner, repo }: RepositoryName, ...rest: readonly (string | number)[]): string {
  return ["/repos", ...[owner, repo, ...rest].map((part) => encodeURIComponent(part))].join("/");
}

async function send(
  { api, token, voice, exchange }: GithubClientOptions,
  request: GithubRequest,
): Promise<ForgeResponse> {
  const { method = "GET", path, query = {}, body, repeatable = true } = request;
  const search = new URLSearchParams(query).toString();
  const answer = await exchange({
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
  if (answer.status >= 200 && answer.status <= 299) return answer;
  throw explainStatus(voice, answer, request.doing);
}

/** Only the page's number is used: the address, and with it who gets the token, would be the server's to choose. */
function nextPage(headers: Headers): string | null {
  const link = /<([^<>]+)>;\s*rel="next"/.exec(headers.get("link") ?? "")?.[1];
  const page = link === undefined ? null : URL.parse(link)?.searchParams.get("page");
  return page != null && /^\d{1,6}$/.test(page) ? page : null;
}
