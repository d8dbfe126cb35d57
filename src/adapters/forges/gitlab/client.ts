import type { z } from "zod";
import { explainStatus, parseJson, readAs } from "../shared/answers.ts";
import type { ForgeMessageContext } from "../shared/answers.ts";
import type { Exchange } from "../shared/exchange.ts";
import type { ForgeResponse } from "../shared/limits.ts";

export interface GitlabClient {
  readonly voice: ForgeMessageContext;
  get<T>(schema: z.ZodType<T>, request: GitlabRequest): Promise<T>;
  /** Everything that all pages hold. */
  list<T>(schema: z.ZodType<T>, request: GitlabRequest): Promise<T[]>;
}

export interface GitlabRequest {
  /** Completes "cannot …" in the error. */
  readonly doing: string;
  readonly method?: "GET" | "POST" | "PUT";
  /** Below `/api/v4`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface GitlabClientOptions {
  readonly api: string;
  readonly token: string;
  readonly voice: ForgeMessageContext;
  readonly exchange: Exchange;
}

const MOST_PAGES = 100;

export function createGitlabClient(options: GitlabClientOptions): GitlabClient {
  const { voice } = options;
  return {
    voice,
    async get(schema, request) {
      const answer = await send(options, request);
      return readAs(voice, schema, parseJson(voice, answer));
    },
    async list(schema, request) {
      const all = [];
      let page: string | null = "1";
      for (let seen = 0; page !== null && seen < MOST_PAGES; seen++) {
        const answer = await send(options, { ...request, query: { ...request.query, per_page: "100", page } });
        all.push(...readAs(voice, schema.array(), parseJson(voice, answer)));
        page = nextPage(answer.headers);
      }
      return all;
    },
  };
}

async function send(
  { api, token, voice, exchange }: GitlabClientOptions,
  request: GitlabRequest,
): Promise<ForgeResponse> {
  const { method = "GET", path, query = {}, body } = request;
  const search = new URLSearchParams(query).toString();
  const answer = await exchange({
    method,
    url: `${api}${path}${search === "" ? "" : `?${search}`}`,
    // Tokens of people, projects, groups and OAuth are all taken this way.
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json",
      "user-agent": "nightshift",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    repeatable: method !== "POST",
  });
  if (answer.status >= 200 && answer.status <= 299) return answer;
  throw explainStatus(voice, answer, request.doing);
}

/** Only its number is taken: the address would be another server's to choose. */
function nextPage(headers: Headers): string | null {
  const next = headers.get("x-next-page")?.trim();
  if (next !== undefined) return /^\d{1,6}$/.test(next) ? next : null;
  const link = /<([^<>]+)>;\s*rel="next"/.exec(headers.get("link") ?? "")?.[1];
  return link === undefined ? null : (URL.parse(link)?.searchParams.get("page") ?? null);
}
