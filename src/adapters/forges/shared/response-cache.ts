import type { ForgeResponse } from "./limits.ts";

interface CachedResponse {
  readonly etag: string;
  readonly response: ForgeResponse;
}

interface ResponseCache {
  find(url: string): CachedResponse | null;
  /** Keeps successful responses that the forge can compare later. */
  keep(url: string, response: ForgeResponse): void;
}

const MAX_ENTRIES = 300;
const MAX_CHARACTERS = 500_000;

/** Responses by URL, for conditional requests: forges answer an unchanged one at little or no cost. The oldest are dropped. */
export function createResponseCache(): ResponseCache {
  const entries = new Map<string, CachedResponse>();
  return {
    find: (url) => entries.get(url) ?? null,
    keep(url, response) {
      entries.delete(url);
      const etag = response.headers.get("etag");
      if (etag === null || response.status !== 200 || response.text.length > MAX_CHARACTERS) return;
      entries.set(url, { etag, response });
      const [oldest] = entries.keys();
      if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
    },
  };
}
