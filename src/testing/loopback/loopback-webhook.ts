import { createHmac, timingSafeEqual } from "node:crypto";
import { openLoopback, type LoopbackAnswer, type LoopbackRequest, type LoopbackServer } from "./loopback-server.ts";

/** A fake webhook receiver that verifies signatures and accepts every delivery once. */
export interface LoopbackWebhook extends LoopbackServer {
  /** Received notices by delivery id. */
  readonly taken: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

const MOST_SECONDS = 300;

export async function openLoopbackWebhook({ secret }: { readonly secret: string | null }): Promise<LoopbackWebhook> {
  const taken = new Map<string, Readonly<Record<string, unknown>>>();
  const server = await openLoopback((request) => {
    if (secret !== null && !isSigned(request, secret)) return { status: 403, body: "bad signature" };
    return take(request, taken);
  });
  return { ...server, taken };
}

function take(
  { headers, body }: LoopbackRequest,
  taken: Map<string, Readonly<Record<string, unknown>>>,
): LoopbackAnswer {
  const id = headers["x-nightshift-delivery"];
  if (typeof id !== "string") return { status: 400, body: "no delivery id" };
  taken.set(id, JSON.parse(body) as Record<string, unknown>); // invalid JSON fails the test
  return { status: 204 };
}

/** The verification described in docs/notifications.md. */
function isSigned({ headers, body }: LoopbackRequest, secret: string): boolean {
  const timestamp = String(headers["x-nightshift-timestamp"]);
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > MOST_SECONDS) return false;
  const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`);
  const given = Buffer.from(String(headers["x-nightshift-signature"]));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
