import type { Octokit } from "@octokit/core";
import type { PaginateInterface } from "@octokit/plugin-paginate-rest";
import type { Api } from "@octokit/plugin-rest-endpoint-methods";
import type { z } from "zod";
import { ForgeError } from "../../../core/text/errors.ts";
import { explainStatus, parseJson, readAs } from "../shared/answers.ts";
import type { Voice } from "../shared/answers.ts";
import type { Exchange } from "../shared/exchange.ts";
import type { Answer } from "../shared/limits.ts";

export type Kit = Octokit & Api & { readonly paginate: PaginateInterface };

/** The part of an answer that we read. */
interface Reply {
  readonly data: unknown;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
}

export interface GithubClient {
  readonly voice: Voice;
  /** `doing` completes "cannot …" in the error; a status that is none of success rejects with its ForgeError. */
  get<T>(schema: z.ZodType<T>, doing: string, ask: (kit: Kit) => Promise<Reply>): Promise<T>;
  /** For what matters by its status or headers alone. */
  send(doing: string, ask: (kit: Kit) => Promise<Reply>): Promise<Reply>;
  /** Everything that all pages hold. */
  list<T>(schema: z.ZodType<T>, doing: string, pages: (kit: Kit) => AsyncIterable<Reply>): Promise<T[]>;
}

export interface GithubClientOptions {
  readonly api: string;
  readonly token: string;
  readonly voice: Voice;
  readonly exchange: Exchange;
}

const API_VERSION = "2022-11-28";
const MOST_PAGES = 100;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** An answer with a status that is none of success, on its way through Octokit. */
class StatusFailure extends Error {
  override readonly name = "StatusFailure";
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`status ${answer.status}`);
    this.answer = answer;
  }
}

export function createGithubClient(options: GithubClientOptions): GithubClient {
  const { voice } = options;
  let kit: Promise<Kit> | undefined;
  const attempt = async <T>(doing: string, work: (loaded: Kit) => Promise<T>): Promise<T> => {
    try {
      return await work(await (kit ??= loadKit(options)));
    } catch (error) {
      throw unwrap(voice, error, doing);
    }
  };
  return {
    voice,
    get: (schema, doing, ask) => attempt(doing, async (loaded) => readAs(voice, schema, (await ask(loaded)).data)),
    send: attempt,
    list: (schema, doing, pages) =>
      attempt(doing, async (loaded) => {
        const all = [];
        let seen = 0;
        for await (const { data } of pages(loaded)) {
          all.push(...readAs(voice, schema.array(), data));
          if (++seen === MOST_PAGES) break;
        }
        return all;
      }),
  };
}

/** Loaded when first needed: a project without a forge at GitHub never pays for it. */
async function loadKit({ api, token, voice, exchange }: GithubClientOptions): Promise<Kit> {
  const [{ Octokit: Core }, { paginateRest }, { restEndpointMethods }] = await Promise.all([
    import("@octokit/core"),
    import("@octokit/plugin-paginate-rest"),
    import("@octokit/plugin-rest-endpoint-methods"),
  ]);
  const fetch = createCarrier({ api, voice, exchange });
  const Extended = Core.plugin(restEndpointMethods, paginateRest);
  return new Extended({ auth: token, baseUrl: api, userAgent: "nightshift", log: silent, request: { fetch } });
}

/** Octokit builds the requests and reads the pages; ours carries them, so that both forges fail in the same way. */
function createCarrier({ api, voice, exchange }: Omit<GithubClientOptions, "token">) {
  const { origin } = new URL(api);
  return async (url: string, init: { method: string; headers: Record<string, string>; body?: string }) => {
    // Octokit asks where a `Link` header points to, with the token.
    if (new URL(url).origin !== origin) {
      throw new ForgeError("unreachable", `${voice.host} names its next page at ${new URL(url).origin}.`, {
        hint: "Set `forge.url` to the address that the server itself uses.",
      });
    }
    const { method, body } = init;
    const headers = { ...init.headers, "x-github-api-version": API_VERSION };
    const repeatable = !(method === "POST" && url.endsWith("/pulls"));
    const answer = await exchange({ method, url, headers, body: body ?? null, repeatable });
    if (answer.status < 200 || answer.status > 299) throw new StatusFailure(answer);
    if (answer.text !== "") parseJson(voice, answer);
    const { status, text } = answer;
    const response = new Response(status === 204 || text === "" ? null : text, { status, headers: answer.headers });
    // The one thing about an answer that cannot be given to it, and Octokit reads pages by it.
    return Object.defineProperty(response, "url", { value: url });
  };
}

/** Octokit wraps what the carrier throws into an error that holds the request; only what is inside goes on. */
function unwrap(voice: Voice, error: unknown, doing: string): ForgeError {
  for (let at = error, depth = 0; at instanceof Error && depth < 3; at = at.cause, depth++) {
    if (at instanceof StatusFailure) return explainStatus(voice, at.answer, doing);
    if (at instanceof ForgeError) return at;
  }
  return new ForgeError("unreachable", `${voice.host} answered in a way that cannot be read: cannot ${doing}.`);
}
