/** Waiting longer than this is the engine's business: it has other work. */
const LONGEST_WAIT_MS = 5_000;
const DEFAULT_WAIT_MS = 60_000;
const A_DAY_MS = 86_400_000;
/** The forge's clock and ours differ, and asking a moment too early costs another turn. */
const SLACK_MS = 500;

export interface ForgeResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Whether the forge did not look at the request at all, since too many came. */
export function isRateLimited({ status, headers, text }: ForgeResponse): boolean {
  if (status === 429) return true;
  // GitHub says it with 403, which it also says for a token that may not.
  if (status !== 403) return false;
  return (
    headers.get("x-ratelimit-remaining") === "0" || headers.has("retry-after") || /secondary rate limit/i.test(text)
  );
}

/** When to ask again, in the words of either forge; at least a moment and at most a day from now. */
export function retryTime({ headers }: ForgeResponse, now: number): number | null {
  const asked = readRetryAfter(headers.get("retry-after"), now) ?? readReset(headers);
  if (asked === null) return null;
  return Math.min(Math.max(asked, now) + SLACK_MS, now + A_DAY_MS);
}

/** How long to wait here; null: too long to wait for. */
export function waitFor(
  answer: ForgeResponse,
  now: number,
): { readonly waitMs: number | null; readonly retryAt: number } {
  const retryAt = retryTime(answer, now) ?? now + DEFAULT_WAIT_MS;
  const waitMs = retryAt - now;
  return { waitMs: waitMs <= LONGEST_WAIT_MS + SLACK_MS ? waitMs : null, retryAt };
}

function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value.trim())) return now + Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : date;
}

function readReset(headers: Headers): number | null {
  const value = headers.get("x-ratelimit-reset") ?? headers.get("ratelimit-reset");
  return value !== null && /^\d{9,11}$/.test(value.trim()) ? Number(value) * 1000 : null;
}
