import { ForgeError } from "../../../core/text/errors.ts";
import { isRateLimited, retryTime, waitFor } from "./limits.ts";
import type { ForgeResponse } from "./limits.ts";
import { isPassing, networkSentence } from "./network-error.ts";

export type Fetch = typeof globalThis.fetch;

export interface ExchangeOptions {
  /** Host, for messages. */
  readonly host: string;
  readonly fetch: Fetch;
  readonly pause: (ms: number) => Promise<void>;
}

export interface ForgeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Asked twice, it does the same as asked once. */
  readonly repeatable: boolean;
}

export type Exchange = (asked: ForgeRequest) => Promise<ForgeResponse>;

const REQUEST_MS = 30_000;
const MAX_BYTES = 16 * 1024 * 1024;
const BACKOFF_MS = [500, 2_000];
const MOST_WAITS = 3;
const MOST_REDIRECTS = 3;

/**
 * One request with all that may go wrong on its way: a bounded time and a bounded answer, limits of the forge waited for
 * where that is short, faults that pass tried again where repeating does no harm. The token leaves for one origin only.
 * Every answer with a status is returned; no answer is a ForgeError.
 */
export function createExchange(options: ExchangeOptions): Exchange {
  return async (asked) => {
    let faults = 0;
    for (let waits = 0; ;) {
      const answer = await attempt(options, asked);
      if (answer instanceof ForgeError) {
        const backoff = asked.repeatable && isPassing(answer) ? BACKOFF_MS[faults++] : undefined;
        if (backoff === undefined) throw answer;
        await options.pause(backoff);
        continue;
      }
      if (isRateLimited(answer)) {
        const { waitMs, retryAt } = waitFor(answer, Date.now());
        if (waitMs === null || waits++ >= MOST_WAITS) throw explainLimit(options.host, retryAt);
        await options.pause(waitMs);
        continue;
      }
      const backoff = asked.repeatable && answer.status >= 500 ? BACKOFF_MS[faults++] : undefined;
      if (backoff === undefined) return answer;
      await options.pause(backoff);
    }
  };
}

/** A fault of the network is returned, since it may pass; one of the answer is thrown. */
async function attempt(options: ExchangeOptions, asked: ForgeRequest): Promise<ForgeResponse | ForgeError> {
  let url = asked.url;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const answer = await ask(options, { ...asked, url });
    if (answer instanceof ForgeError || !isRedirect(asked, answer)) return answer;
    url = followed(options.host, url, answer);
  }
  throw new ForgeError("unreachable", `${options.host} sends us in a circle of redirects.`, {
    hint: "Check `forge.url`.",
  });
}

async function ask({ host, fetch }: ExchangeOptions, asked: ForgeRequest): Promise<ForgeResponse | ForgeError> {
  const signal = AbortSignal.timeout(REQUEST_MS);
  try {
    const response = await fetch(asked.url, {
      method: asked.method,
      headers: asked.headers,
      body: asked.body,
      // A redirect that is followed by itself would take the token along.
      redirect: "manual",
      signal,
    });
    return { status: response.status, headers: response.headers, text: await readBounded(host, response) };
  } catch (error) {
    if (error instanceof ForgeError) throw error;
    return networkSentence(host, error, REQUEST_MS);
  }
}

async function readBounded(host: string, response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) {
      throw new ForgeError("refused", `${host} sent an answer of more than ${MAX_BYTES / 1024 / 1024} MiB.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Of 301 and 302 a browser makes a GET; a change that is sent on as one would do nothing and look done. */
function isRedirect({ method }: ForgeRequest, { status, headers }: ForgeResponse): boolean {
  const follows = method === "GET" ? [301, 302, 303, 307, 308] : [307, 308];
  return follows.includes(status) && headers.has("location");
}

function followed(host: string, from: string, { headers }: ForgeResponse): string {
  const to = URL.parse(headers.get("location") ?? "", from);
  if (to !== null && to.origin === new URL(from).origin && to.username === "") return to.href;
  const where = to === null ? "an address that is none" : to.origin;
  throw new ForgeError("unreachable", `${host} sends us on to ${where}; the token is not taken there.`, {
    hint: "If that is the forge, set `forge.url` to it; if it is a login page, let the API through to Nightshift.",
  });
}

function explainLimit(host: string, retryAt: number): ForgeError {
  return new ForgeError(
    "rate_limit",
    `${host} takes no more requests for now, until ${new Date(retryAt).toISOString()}.`,
    {
      hint: "It goes on by itself then.",
      retryAt,
    },
  );
}

export function retryAtOf(answer: ForgeResponse): number | null {
  return retryTime(answer, Date.now());
}
