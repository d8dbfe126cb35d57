import type { z } from "zod";
import { explainStatus, parseJson, parseAs } from "../shared/responses.ts";
import type { ForgeMessageContext } from "../shared/responses.ts";
import type { ForgeApiOptions } from "../definition.ts";
import type { ForgeResponse } from "../shared/limits.ts";

export interface GitlabClient {
  readonly context: ForgeMessageContext;
  get<T>(schema: z.ZodType<T>, request: GitlabRequest): Promise<T>;
  /** Returns the items of all pages. */
  list<T>(schema: z.ZodType<T>, request: GitlabRequest): Promise<T[]>;
}

export interface GitlabRequest {
  /** Completes "cannot …" in the error. */
  readonly doing: string;
  readonly method?: "GET" | "POST" | "PUT";
  /** Relative to `/api/v4`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

type GitlabClientOptions = Pick<ForgeApiOptions, "api" | "token" | "context" | "exchange">;

const MAX_PAGES = 100;

export function createGitlabClient(options: GitlabClientOptions): GitlabClient {
  const { context } = options;
  return {
    context,
    async get(schema, request) {
      const response = await send(options, request);
      return parseAs(context, schema, parseJson(context, response));
    },
    async list(schema, request) {
      const all = [];
      let page: string | null = "1";
      for (let seen = 0; page !== null && seen < MAX_PAGES; seen++) {
        const response = await send(options, { ...request, query: { ...request.query, per_page: "100", page } });
        all.push(...parseAs(context, schema.array(), parseJson(context, response)));
        page = nextPage(response.headers);
      }
      return all;
    },
  };
}

async function send(
  { api, token, context, exchange }: GitlabClientOptions,
  request: GitlabRequest,
): Promise<ForgeResponse> {
  const { method = "GET", path, query = {}, body } = request;
  const search = new URLSearchParams(query).toString();
  const response = await exchange({
    method,
    url: `${api}${path}${search === "" ? "" : `?${search}`}`,
    // Works for personal, project, group and OAuth tokens.
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json",
      "user-agent": "nightshift",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    repeatable: method !== "POST",
  });
  if (response.status >= 200 && response.status <= 299) return response;
  throw explainStatus(context, response, request.doing);
}

/** Uses only the page number, because the URL could point to another server. */
function nextPage(headers: Headers): string | null {
  const next = headers.get("x-next-page")?.trim();
  if (next !== undefined) return /^\d{1,6}$/.test(next) ? next : null;
  const link = /<([^<>]+)>;\s*rel="next"/.exec(headers.get("link") ?? "")?.[1];
  return link === undefined ? null : (URL.parse(link)?.searchParams.get("page") ?? null);
}
