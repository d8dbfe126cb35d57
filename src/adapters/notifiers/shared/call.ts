import { DeliveryError } from "../../../core/notices/notice-delivery.ts";
import { terminalLine } from "../../../core/text/terminal-text.ts";

const TIMEOUT_MS = 10_000;
/** Enough for an error message. Most responses are not needed otherwise. */
const DEFAULT_MAX_BYTES = 4_096;
const MAX_ERROR_TEXT_LENGTH = 200;

export interface ChannelRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT";
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Removed from error messages, because a response may repeat them. */
  readonly secrets?: readonly string[];
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Longer responses are truncated; see `isComplete`. */
  readonly maxBytes?: number;
}

export interface ChannelResponse {
  readonly status: number;
  readonly text: string;
  /** False if the response was longer than `maxBytes`. */
  readonly isComplete: boolean;
  readonly headers: Headers;
}

/**
 * Sends one request with a timeout. Does not follow redirects, because they would send the token to another server. Throws
 * a DeliveryError if there is no response.
 */
export async function call(request: ChannelRequest): Promise<ChannelResponse> {
  const timeoutMs = request.timeoutMs ?? TIMEOUT_MS;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: { "user-agent": "nightshift", ...request.headers },
      ...(request.body === undefined ? {} : { body: request.body }),
      redirect: "manual",
      signal: request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]),
    });
    const { text, whole } = await readBody(response, request.maxBytes ?? DEFAULT_MAX_BYTES);
    return { status: response.status, headers: response.headers, text, isComplete: whole };
  } catch (error) {
    const reason = timeout.aborted
      ? `did not answer within ${timeoutMs / 1_000} s`
      : `cannot be reached (${errorCode(error)})`;
    throw new DeliveryError(`${request.url.host} ${reason}`);
  }
}

/** Like `call`, but throws a DeliveryError for every status other than 2xx. */
export async function callOk(request: ChannelRequest): Promise<ChannelResponse> {
  const response = await call(request);
  if (response.status >= 200 && response.status < 300) return response;
  throw toDeliveryError(request, response);
}

export function toDeliveryError(
  { url, secrets = [] }: ChannelRequest,
  { status, headers, text }: ChannelResponse,
): DeliveryError {
  if (status >= 300 && status < 400)
    return new DeliveryError(
      `HTTP ${status} from ${url.host}: redirects to ${redirectOrigin(headers.get("location"), url)} are not followed. If that is the right server, set its URL.`,
    );
  const detail = terminalLine(redactSecrets(text, secrets), MAX_ERROR_TEXT_LENGTH);
  const message = `HTTP ${status} from ${url.host}${detail === "" ? "" : `: ${detail}`}`;
  return new DeliveryError(message, readRetryAfter(headers.get("retry-after"), Date.now()));
}

/** Returns milliseconds, or null if the header is missing or invalid. */
function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

/** The path of a webhook URL is a secret: everyone who knows it can use the webhook. */
export function pathSecrets({ pathname, search }: URL): readonly string[] {
  return [pathname + search, pathname].filter((part) => part.length > 1);
}

function redactSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== "")
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
    .reduce((redacted, secret) => redacted.replaceAll(secret, "[redacted]"), text);
}

async function readBody(response: Response, maxBytes: number): Promise<{ text: string; whole: boolean }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the response.
  for await (const part of response.body ?? []) {
    parts.push(part);
    size += part.length;
    if (size > maxBytes) break;
  }
  return { text: Buffer.concat(parts).subarray(0, maxBytes).toString(), whole: size <= maxBytes };
}

/** Returns only the origin, because the path may contain a token. */
function redirectOrigin(location: string | null, from: URL): string {
  const target = location === null ? null : URL.parse(location, from.href);
  return target === null ? "an invalid URL" : target.origin;
}

function errorCode(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  return code === "" ? terminalLine(cause.message, MAX_ERROR_TEXT_LENGTH) : code;
}
