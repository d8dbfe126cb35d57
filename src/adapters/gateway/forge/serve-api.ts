import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { ForgeGatewayPlan } from "../../../ports/gateway.ts";
import type { Denial } from "../../../ports/sandbox.ts";
import { openUpstream } from "../upstream/upstream.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { readTarget, Refusal } from "./api/api-request.ts";
import type { AllowedRequest } from "./api/api-request.ts";
import { createProjectRules } from "./api/project-rules.ts";
import type { TokenMask } from "./mask-token.ts";
import { forgeHeaders, forwardToForge, sendProblem } from "./forward.ts";

export interface ForgeApi {
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): void;
}

interface ApiParams {
  readonly plan: ForgeGatewayPlan;
  readonly token: string;
  readonly mask: TokenMask;
  readonly deny: (denial: Pick<Denial, "target" | "sentence">) => void;
}

const MAX_BODY_BYTES = 256 * 1024;
/** Answers to the gateway's own requests. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const ANSWER_TIMEOUT_MS = 60_000;

/** Serves the forge's API: reads the project, and opens change requests for the task's branches. */
export function openForgeApi({ plan, token, mask, deny }: ApiParams): ForgeApi {
  const root = new URL(plan.apiUrl);
  const upstream = openUpstream(root.origin);
  const restRoot = root.pathname.replace(/\/+$/, "");
  const graphqlPath = `${restRoot.replace(/\/v3$/, "")}/graphql`;
  const authorization = `Bearer ${token}`;

  const own = new Set<ClientRequest>();
  const pathOf = ({ api, path }: AllowedRequest): string => (api === "rest" ? restRoot + path : graphqlPath);
  const rules = createProjectRules(plan, (allowed) =>
    askForge(upstream, own, {
      method: allowed.body === null ? "GET" : "POST",
      path: pathOf(allowed),
      headers: { authorization, "user-agent": "nightshift", ...bodyHeaders(allowed.body) },
      body: allowed.body ?? "",
    }),
  );

  /** Throws a Refusal if the request is not in the list for the kind of forge. */
  async function check(request: IncomingMessage): Promise<AllowedRequest> {
    const { method = "", url = "" } = request;
    const target = readTarget(url);
    if (target === null) throw new Refusal("the address is not a plain path");
    if (plan.api === null) throw new Refusal("this forge has no API here");
    if (request.headers["content-encoding"] !== undefined) throw new Refusal("the body is compressed");
    const body = method === "GET" || method === "HEAD" ? "" : await readBody(request);
    // Loaded on demand: most runs never use the API, and git needs none of it.
    if (plan.api === "gitlab") {
      const { checkGitlabRequest } = await import("./api/gitlab-rules.ts");
      return checkGitlabRequest({ method, ...target, body }, rules);
    }
    const { checkGithubRequest } = await import("./api/github-rules.ts");
    return checkGithubRequest({ method, ...target, body }, rules);
  }

  return {
    async serve(request, response) {
      const { method = "", url = "" } = request;
      try {
        const allowed = await check(request);
        await forwardToForge({
          upstream,
          method,
          path: pathOf(allowed),
          headers: { ...forgeHeaders(request.headers), ...bodyHeaders(allowed.body), authorization },
          body: Buffer.from(allowed.body ?? ""),
          rest: null,
          response,
          mask,
          // `glab` follows the links to further pages.
          rewriteLinks: (links) =>
            plan.api === "gitlab"
              ? links.replaceAll(plan.apiUrl, `http://${request.headers.host ?? ""}/api/v4`)
              : links,
        });
      } catch (error) {
        if (error instanceof ForgeProblem) return sendProblem(response, 502, error.message, true);
        if (!(error instanceof Refusal)) throw error;
        const target = `${method} ${url.split("?", 1)[0] ?? ""}`.slice(0, 200);
        const sentence = `denied: ${target}; ${error.message}`.slice(0, 500);
        deny({ target, sentence });
        sendProblem(response, 403, sentence, true);
      }
    },
    close() {
      for (const request of own) request.destroy(new Error("the gateway is closed"));
      upstream.close();
    },
  };
}

function bodyHeaders(body: string | null): OutgoingHttpHeaders {
  return body === null
    ? {}
    : { "content-type": "application/json; charset=utf-8", "content-length": Buffer.byteLength(body) };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Refusal(`the body has more than ${MAX_BODY_BYTES / 1024} KB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

class ForgeProblem extends Error {}

interface OwnRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

/** `pending` contains the request until it is answered. */
async function askForge(
  upstream: Upstream,
  pending: Set<ClientRequest>,
  { method, path, headers, body }: OwnRequest,
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sending = upstream.request({
    method,
    path,
    headers: { ...headers, "accept-encoding": "identity" },
    isFresh: true,
  });
  pending.add(sending);
  const timer = setTimeout(() => sending.destroy(new Error("no answer in time")), ANSWER_TIMEOUT_MS);
  sending.on("error", reject);
  sending.once("response", resolve);
  sending.end(body);
  try {
    const answer = await promise;
    let size = 0;
    answer.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) sending.destroy(new Error("the answer is too large"));
    });
    if (answer.statusCode !== 200)
      throw new ForgeProblem(`${upstream.name} answered the gateway with status ${answer.statusCode ?? 0}.`);
    return JSON.parse(await text(answer)) as unknown;
  } finally {
    clearTimeout(timer);
    pending.delete(sending);
    sending.destroy();
  }
}
