import { ForgeError } from "../../../core/text/errors.ts";
import { isRateLimited, planWait } from "./limits.ts";
import type { ForgeResponse } from "./limits.ts";
import { isTransient, toNetworkError } from "./network-error.ts";

export type Fetch = typeof globalThis.fetch;

export interface ExchangeOptions {
  /** For messages. */
  readonly host: string;
  readonly fetch: Fetch;
  readonly pause: (ms: number) => Promise<void>;
}

export interface ForgeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** True if the request is idempotent. */
  readonly repeatable: boolean;
  /** Follow redirects to another server, without the token. */
  readonly anonymousRedirects?: boolean;
}

export type Exchange = (request: ForgeRequest) => Promise<ForgeResponse>;

const REQUEST_TIMEOUT_MS = 30_000;
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
const BACKOFF_MS = [500, 2_000];
const MAX_WAITS = 3;
const MAX_REDIRECTS = 3;

/**
 * Sends requests with a timeout and a maximum response size. Waits for short rate limits, and retries idempotent requests
 * after transient errors. Sends the token to a single origin only. Returns every response, whatever its status; throws a
 * ForgeError if there is none.
 */
export function createExchange(options: ExchangeOptions): Exchange {
  return async (request) => {
    let failures = 0;
    for (let waits = 0; ;) {
      const response = await sendFollowingRedirects(options, request);
      if (response instanceof ForgeError) {
        const backoff = request.repeatable && isTransient(response) ? BACKOFF_MS[failures++] : undefined;
        if (backoff === undefined) throw response;
        await options.pause(backoff);
        continue;
      }
      if (isRateLimited(response)) {
        const { waitMs, retryAt } = planWait(response, Date.now());
        if (waitMs === null || waits++ >= MAX_WAITS) throw rateLimitError(options.host, retryAt);
        await options.pause(waitMs);
        continue;
      }
      const backoff = request.repeatable && response.status >= 500 ? BACKOFF_MS[failures++] : undefined;
      if (backoff === undefined) return response;
      await options.pause(backoff);
    }
  };
}

/** Returns network errors, because they may be transient. Throws all other errors. */
async function sendFollowingRedirects(
  options: ExchangeOptions,
  request: ForgeRequest,
): Promise<ForgeResponse | ForgeError> {
  let { url, headers } = request;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await sendOnce(options, { ...request, url, headers });
    if (response instanceof ForgeError || !isRedirect(request, response)) return response;
    const elsewhere = request.anonymousRedirects === true ? findOtherServer(url, response) : null;
    if (elsewhere !== null) headers = { "user-agent": "nightshift" };
    url = elsewhere ?? resolveRedirect(options.host, url, response);
  }
  throw new ForgeError("unreachable", `${options.host} redirects too often.`, {
    hint: "Check `forge.url`.",
  });
}

async function sendOnce({ host, fetch }: ExchangeOptions, request: ForgeRequest): Promise<ForgeResponse | ForgeError> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      body: request.body,
      // An automatic redirect would send the token to another server.
      redirect: "manual",
      signal,
    });
    return { status: response.status, headers: response.headers, text: await readBounded(host, response) };
  } catch (error) {
    if (error instanceof ForgeError) throw error;
    return toNetworkError(host, error, REQUEST_TIMEOUT_MS);
  }
}

async function readBounded(host: string, response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_RESPONSE_BYTES) {
      throw new ForgeError("refused", `${host} sent a response of more than ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Clients turn a redirected POST into a GET for 301 and 302, so a change would be lost but look successful. */
function isRedirect({ method }: ForgeRequest, { status, headers }: ForgeResponse): boolean {
  const followed = method === "GET" ? [301, 302, 303, 307, 308] : [307, 308];
  return followed.includes(status) && headers.has("location");
}

/** The target of a redirect to another server. Null if it stays on this one, or if it would leave https. */
function findOtherServer(from: string, { headers }: ForgeResponse): string | null {
  const to = URL.parse(headers.get("location") ?? "", from);
  const { origin, protocol } = new URL(from);
  if (to === null || to.origin === origin) return null;
  return to.protocol === "https:" || to.protocol === protocol ? to.href : null;
}

function resolveRedirect(host: string, from: string, { headers }: ForgeResponse): string {
  const to = URL.parse(headers.get("location") ?? "", from);
  if (to !== null && to.origin === new URL(from).origin && to.username === "") return to.href;
  const where = to === null ? "an invalid URL" : to.origin;
  throw new ForgeError("unreachable", `${host} redirects to ${where}, and the token is not sent there.`, {
    hint: "If that is the forge, set `forge.url` to it. If it is a login page, allow Nightshift to reach the API.",
  });
}

function rateLimitError(host: string, retryAt: number): ForgeError {
  return new ForgeError("rate_limit", `${host} limits requests until ${new Date(retryAt).toISOString()}.`, {
    hint: "Nightshift continues by itself then.",
    retryAt,
  });
}
