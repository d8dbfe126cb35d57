import { readBytes } from "./body.ts";
import { RequestError } from "./problem.ts";

/** Each body has at most 2 MB. */
const MAX_CONCURRENT = 8;
/** A forge sends its few kilobytes at once, so this is plenty of time. */
const TIMEOUT_MS = 10_000;

/** The sender is not authenticated yet, so only few bodies are held in memory at a time, and only for a short time. */
export function createHookBodies(timeoutMs = TIMEOUT_MS): (request: Request) => Promise<Buffer> {
  let underWay = 0;
  return async (request) => {
    if (underWay >= MAX_CONCURRENT) {
      throw new RequestError(429, `Too many concurrent webhooks; the limit is ${MAX_CONCURRENT}.`, {
        hint: "Send it again in a few seconds.",
      });
    }
    underWay++;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return await readBytes(request, timeout);
    } catch (error) {
      if (error instanceof RequestError) throw error;
      if (timeout.aborted) throw new RequestError(408, `The body did not arrive within ${timeoutMs / 1000} seconds.`);
      throw new RequestError(400, "The connection ended before the body was complete.");
    } finally {
      underWay--;
    }
  };
}
