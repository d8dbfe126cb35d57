import { DeliveryError } from "../../../core/notices/notice-delivery.ts";
import { terminalLine } from "../../../core/text/terminal-text.ts";

const TIMEOUT_MS = 10_000;
/** Of an answer that nobody needs: enough for the server to say what is wrong. */
const ENOUGH_BYTES = 4_096;
const MAX_SAID = 200;

export interface Call {
  readonly method: "GET" | "HEAD" | "POST" | "PUT";
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What must not stand in an error, whatever the other side answers. */
  readonly secrets?: readonly string[];
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Longer answers are cut; see `whole`. */
  readonly maxBytes?: number;
}

export interface ChannelResponse {
  readonly status: number;
  readonly text: string;
  /** False: there was more than `maxBytes`. */
  readonly whole: boolean;
  readonly headers: Headers;
}

/**
 * One request, within ten seconds. Redirects are never followed: the token would go to wherever they point. Throws
 * DeliveryError when there is no answer.
 */
export async function call(asked: Call): Promise<ChannelResponse> {
  const timeoutMs = asked.timeoutMs ?? TIMEOUT_MS;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(asked.url, {
      method: asked.method,
      headers: { "user-agent": "nightshift", ...asked.headers },
      ...(asked.body === undefined ? {} : { body: asked.body }),
      redirect: "manual",
      signal: asked.signal === undefined ? timeout : AbortSignal.any([asked.signal, timeout]),
    });
    const { text, whole } = await readSome(response, asked.maxBytes ?? ENOUGH_BYTES);
    return { status: response.status, headers: response.headers, text, whole };
  } catch (error) {
    const why = timeout.aborted
      ? `did not answer within ${timeoutMs / 1_000} s`
      : `cannot be reached (${codeOf(error)})`;
    throw new DeliveryError(`${asked.url.host} ${why}`);
  }
}

/** The answer, where it is a good one; otherwise what the server said, as a sentence. */
export async function callOk(asked: Call): Promise<ChannelResponse> {
  const answer = await call(asked);
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw refusal(asked, answer);
}

export function refusal({ url, secrets = [] }: Call, { status, headers, text }: ChannelResponse): DeliveryError {
  if (status >= 300 && status < 400)
    return new DeliveryError(
      `${url.host} answered HTTP ${status} and sends us to ${placeOf(headers.get("location"), url)}; redirects are not followed: set that address if it is the right one`,
    );
  const said = terminalLine(hide(text, secrets), MAX_SAID);
  const message = `HTTP ${status} from ${url.host}${said === "" ? "" : `: ${said}`}`;
  return new DeliveryError(message, readRetryAfter(headers.get("retry-after"), Date.now()));
}

/** Milliseconds; null where the header says nothing that can be understood. */
function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

/** Of an address that is a secret by itself: whoever knows it may use it. */
export function pathSecrets({ pathname, search }: URL): readonly string[] {
  return [pathname + search, pathname].filter((part) => part.length > 1);
}

/** A server may repeat what it was sent. */
function hide(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== "")
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
    .reduce((hidden, secret) => hidden.replaceAll(secret, "[redacted]"), text);
}

async function readSome(response: Response, maxBytes: number): Promise<{ text: string; whole: boolean }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest.
  for await (const part of response.body ?? []) {
    parts.push(part);
    size += part.length;
    if (size > maxBytes) break;
  }
  return { text: Buffer.concat(parts).subarray(0, maxBytes).toString(), whole: size <= maxBytes };
}

/** Only the origin: what follows may hold a token. */
function placeOf(location: string | null, from: URL): string {
  const target = location === null ? null : URL.parse(location, from.href);
  return target === null ? "nowhere" : target.origin;
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  return code === "" ? terminalLine(cause.message, MAX_SAID) : code;
}
