import { createHash } from "node:crypto";
import type { HttpDeps } from "./deps.ts";
import { RequestError } from "./problem.ts";

export interface StoredResponse {
  readonly status: number;
  readonly body: string;
}

type Perform = () => Promise<StoredResponse>;

/** Performs a request with a key once. A repeated request gets the first response, even if the first is still running. */
export function createIdempotency({ store, clock, log }: Pick<HttpDeps, "store" | "clock" | "log">) {
  const pending = new Map<string, { readonly request: string; readonly response: Promise<StoredResponse> }>();

  async function performOrReplay(key: string, request: string, perform: Perform): Promise<StoredResponse> {
    const kept = await store.people.recallAnswer(key);
    if (kept !== null) {
      requireSameRequest(kept.request, request);
      return { status: kept.status, body: kept.body };
    }
    // Errors are thrown and not stored: they changed nothing, so the request may be retried.
    const response = await perform();
    try {
      await store.people.keepAnswer(key, { request, ...response }, clock.now());
    } catch (error) {
      // The request has succeeded. Failing to store the response must not make it look like a failure.
      log.warn("the response for an idempotency key was not stored", { error: String(error) });
    }
    return response;
  }

  return async (key: string, request: string, perform: Perform): Promise<StoredResponse> => {
    const running = pending.get(key);
    if (running !== undefined) {
      requireSameRequest(running.request, request);
      return await running.response;
    }
    const response = performOrReplay(key, request, perform);
    pending.set(key, { request, response });
    try {
      return await response;
    } finally {
      pending.delete(key);
    }
  };
}

/** Requests with the same fingerprint count as the same request. */
export function fingerprint(method: string, path: string, body: string): string {
  return createHash("sha256").update(`${method} ${path}\n${body}`).digest("hex");
}

function requireSameRequest(first: string, second: string): void {
  if (first === second) return;
  throw new RequestError(409, "This Idempotency-Key was used for another request.", {
    hint: "Use a new key for every new request.",
  });
}
