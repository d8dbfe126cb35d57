import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { responseHeaders } from "../upstream/headers.ts";
import { streamBody } from "../upstream/stream-body.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { TokenMask } from "./mask-token.ts";

export interface ForgeRequest {
  readonly upstream: Upstream;
  readonly method: string;
  readonly path: string;
  /** With the token. */
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** What follows the body, if not all of it was read. */
  readonly rest: IncomingMessage | null;
  readonly response: ServerResponse;
  readonly mask: TokenMask;
  /** Changes the links to further pages. */
  readonly rewriteLinks?: (links: string) => string;
}

/** The largest push and the largest request for objects. */
const MAX_STREAM_BYTES = 1024 ** 3;
const REQUEST_HEADERS =
  /^(?:accept|content-type|user-agent|git-protocol|if-none-match|graphql-features|x-github-api-version)$/;

/** They describe the token, and `gh` would complain about its scopes. */
const TOKEN_HEADERS = /^(?:www-authenticate|x-(?:accepted-)?oauth-.*|github-authentication-token-.*)$/;

/** The headers to forward. Not forwarded: credentials, `Sudo`, cookies, and headers that override the method. */
export function forgeHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => REQUEST_HEADERS.test(name));
  return { ...Object.fromEntries(kept), "accept-encoding": "identity" };
}

/** Sends a request to the forge and its answer to the client. Never follows a redirect. Resolves when the answer is sent. */
export function forwardToForge(params: ForgeRequest): Promise<void> {
  const { upstream, method, path, headers, response, rest } = params;
  // Already closed, so its "close" event will not come any more.
  if (response.destroyed) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const sending = upstream.request({ method, path, headers, isFresh: rest !== null });
  response.once("close", () => {
    sending.destroy();
    resolve();
  });
  const fail = (problem: string): void => {
    if (response.headersSent) response.destroy();
    else sendProblem(response, 502, `${upstream.name} ${problem}.`);
  };
  sending.on("error", (error) => fail(`could not be reached: ${error.message}`));
  sending.once("response", (answer) => {
    const problem = findAnswerProblem(answer);
    if (problem === null) return sendAnswer(answer, params);
    answer.destroy();
    fail(problem);
  });
  sending.write(params.body);
  if (rest === null) sending.end();
  else pipeLimited(rest, sending, fail);
  return promise;
}

function pipeLimited(rest: IncomingMessage, sending: NodeJS.WritableStream, fail: (problem: string) => void): void {
  let size = 0;
  rest.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_STREAM_BYTES) return;
    rest.unpipe();
    fail("was not sent a request of more than 1 GB");
  });
  rest.pipe(sending);
}

function findAnswerProblem({ statusCode = 502, headers }: IncomingMessage): string | null {
  if (statusCode === 401) return "refused Nightshift's token";
  if (statusCode >= 300 && statusCode < 400 && statusCode !== 304) return "sent a redirect, which is not followed";
  return (headers["content-encoding"] ?? "identity") === "identity" ? null : "sent a compressed answer";
}

function sendAnswer(answer: IncomingMessage, { response, mask, rewriteLinks }: ForgeRequest): void {
  const headers = responseHeaders(answer.headers);
  for (const [name, value] of Object.entries(headers)) {
    if (TOKEN_HEADERS.test(name)) {
      delete headers[name];
      continue;
    }
    const text = mask.maskText(String(value));
    headers[name] = name === "link" && rewriteLinks !== undefined ? rewriteLinks(text) : text;
  }
  response.writeHead(answer.statusCode ?? 502, headers);
  streamBody({ answer, response, inspect: () => undefined, dropper: mask.openStream() });
}

/** Git shows plain text, and the CLIs show the message of a JSON object. */
export function sendProblem(response: ServerResponse, status: number, sentence: string, isJson = false): void {
  if (response.headersSent || response.destroyed) return;
  const body = isJson ? JSON.stringify({ message: sentence }) : `${sentence}\n`;
  response.writeHead(status, {
    "content-type": isJson ? "application/json" : "text/plain",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}
