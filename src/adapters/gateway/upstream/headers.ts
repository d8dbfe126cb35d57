import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

/**
 * Request headers to forward: those that describe the request or the vendor's client. Not forwarded: headers with credentials,
 * or that select who pays, override the method, or address proxies.
 */
const REQUEST_HEADERS =
  /^(?:accept|content-type|user-agent|idempotency-key|originator|version|session[_-]id|conversation[_-]id|http-referer|x-title|x-app|x-client-request-id|x-goog-api-client|openai-beta|anthropic-(?:version|beta|dangerous-direct-browser-access)|x-(?:stainless|codex|claude|gemini)-[\w-]+)$/;

/** Hop-by-hop headers (RFC 9110, 7.6.1), and headers that only make sense for the upstream's own address. */
const DROPPED_RESPONSE_HEADERS = new Set([
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
  const hopByHop = parseConnection(headers.connection);
  const kept = Object.entries(headers).filter(([name]) => REQUEST_HEADERS.test(name) && !hopByHop.has(name));
  // Usage cannot be read from compressed answers.
  return { ...Object.fromEntries(kept), "accept-encoding": "identity" };
}

export function responseHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const hopByHop = parseConnection(headers.connection);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !DROPPED_RESPONSE_HEADERS.has(name) && !hopByHop.has(name)),
  );
}

/** The hop-by-hop headers listed in a Connection header. */
function parseConnection(connection: string | undefined): ReadonlySet<string> {
  return new Set((connection ?? "").toLowerCase().split(/\s*,\s*/));
}
