/** The engine schedules longer waits, because it has other work to do meanwhile. */
const MAX_WAIT_MS = 5_000;
const DEFAULT_WAIT_MS = 60_000;
const MAX_RETRY_DELAY_MS = 86_400_000;
/** Added because the forge's clock may differ, and a retry that is too early is rejected again. */
const CLOCK_SKEW_MS = 500;

export interface ForgeResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** True if the forge rejected the request because of a rate limit. */
export function isRateLimited({ status, headers, text }: ForgeResponse): boolean {
  if (status === 429) return true;
  // GitHub also uses 403, as it does for missing permissions.
  if (status !== 403) return false;
  return (
    headers.get("x-ratelimit-remaining") === "0" || headers.has("retry-after") || /secondary rate limit/i.test(text)
  );
}

/** Reads the retry headers of GitHub and GitLab. The result is at most one day in the future. */
export function retryTime({ headers }: ForgeResponse, now: number): number | null {
  const requested = readRetryAfter(headers.get("retry-after"), now) ?? readReset(headers);
  if (requested === null) return null;
  return Math.min(Math.max(requested, now) + CLOCK_SKEW_MS, now + MAX_RETRY_DELAY_MS);
}

/** `waitMs` is null if the wait is too long to happen here. */
export function planWait(
  response: ForgeResponse,
  now: number,
): { readonly waitMs: number | null; readonly retryAt: number } {
  const retryAt = retryTime(response, now) ?? now + DEFAULT_WAIT_MS;
  const waitMs = retryAt - now;
  return { waitMs: waitMs <= MAX_WAIT_MS + CLOCK_SKEW_MS ? waitMs : null, retryAt };
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
