import { createHmac, timingSafeEqual } from "node:crypto";
import { openLoopback, type LoopbackResponse, type LoopbackRequest, type LoopbackServer } from "./loopback-server.ts";

/** A fake webhook receiver that verifies signatures and accepts every delivery once. */
export interface LoopbackWebhook extends LoopbackServer {
  /** Received notices by delivery id. */
  readonly received: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

const MAX_AGE_SECONDS = 300;

export async function openLoopbackWebhook({ secret }: { readonly secret: string | null }): Promise<LoopbackWebhook> {
  const taken = new Map<string, Readonly<Record<string, unknown>>>();
  const server = await openLoopback((request) => {
    if (secret !== null && !isSignatureValid(request, secret)) return { status: 403, body: "bad signature" };
    return receive(request, taken);
  });
  return { ...server, received: taken };
}

function receive(
  { headers, body }: LoopbackRequest,
  taken: Map<string, Readonly<Record<string, unknown>>>,
): LoopbackResponse {
  const id = headers["x-nightshift-delivery"];
  if (typeof id !== "string") return { status: 400, body: "no delivery id" };
  taken.set(id, JSON.parse(body) as Record<string, unknown>); // invalid JSON fails the test
  return { status: 204 };
}

/** The verification described in docs/notifications.md. */
function isSignatureValid({ headers, body }: LoopbackRequest, secret: string): boolean {
  const timestamp = String(headers["x-nightshift-timestamp"]);
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > MAX_AGE_SECONDS) return false;
  const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`);
  const actual = Buffer.from(String(headers["x-nightshift-signature"]));
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
