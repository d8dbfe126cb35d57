import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { GatewayPlan } from "../../ports/gateway.ts";

/** Whether the request has the run's nonce in one of the places where clients put their API key. */
export function hasNonce(request: IncomingMessage, nonce: string): boolean {
  const { headers, url = "" } = request;
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
  const query = new URLSearchParams(url.split("?", 2)[1]).get("key");
  return [headers["x-api-key"], headers["x-goog-api-key"], bearer, query].some(
    (value) => typeof value === "string" && isSame(value, nonce),
  );
}

/** The beta header that the vendor's CLI sends with subscription tokens. */
const OAUTH_BETA = "oauth-2025-04-20";

/** Adds the real key to the headers, which no longer contain the nonce. */
export function addKey(headers: OutgoingHttpHeaders, plan: GatewayPlan, key: string): OutgoingHttpHeaders {
  if (plan.keyKind === "token" && plan.api === "anthropic") {
    const betas = [headers["anthropic-beta"], OAUTH_BETA].filter((beta) => beta !== undefined).map(String);
    return {
      ...headers,
      authorization: `Bearer ${key}`,
      "anthropic-beta": [...new Set(betas.flatMap((list) => list.split(/\s*,\s*/)))].join(","),
    };
  }
  if (plan.keyKind === "api_key" && plan.api === "anthropic") return { ...headers, "x-api-key": key };
  if (plan.keyKind === "api_key" && plan.api === "gemini") return { ...headers, "x-goog-api-key": key };
  return { ...headers, authorization: `Bearer ${key}` };
}

/** Compares in constant time, so that the response time reveals nothing. */
function isSame(value: string, expected: string): boolean {
  return timingSafeEqual(digest(value), digest(expected));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
