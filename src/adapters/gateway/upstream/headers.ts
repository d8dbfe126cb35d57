import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

/**
 * What of a request goes upstream: what describes it, and what the vendors' clients say of themselves. Nothing that is a
 * credential, chooses who pays, overrides the method, or speaks to proxies.
 */
const REQUEST_HEADERS =
  /^(?:accept|content-type|user-agent|idempotency-key|originator|version|session[_-]id|conversation[_-]id|http-referer|x-title|x-app|x-client-request-id|x-goog-api-client|openai-beta|anthropic-(?:version|beta|dangerous-direct-browser-access)|x-(?:stainless|codex|claude|gemini)-[\w-]+)$/;

/** Said between two neighbours (RFC 9110, 7.6.1), or of no use to a client that knows the model by our address alone. */
const NOT_ANSWERED = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "set-cookie",
  "alt-svc",
  "location",
  "content-location",
  "strict-transport-security",
]);

export function requestHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = listed(headers.connection);
  const kept = Object.entries(headers).filter(([name]) => REQUEST_HEADERS.test(name) && !named.has(name));
  // Compressed answers could not be counted as they pass.
  return { ...Object.fromEntries(kept), "accept-encoding": "identity" };
}

export function answerHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = listed(headers.connection);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_ANSWERED.has(name) && !named.has(name)));
}

/** Names of headers that the neighbour declared to be for the neighbour alone. */
function listed(connection: string | undefined): ReadonlySet<string> {
  return new Set((connection ?? "").toLowerCase().split(/\s*,\s*/));
}
