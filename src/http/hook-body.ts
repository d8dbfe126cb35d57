import { readBytes } from "./body.ts";
import { RequestError } from "./problem.ts";

/** Of two megabytes at most each. */
const MOST_AT_ONCE = 8;
/** A forge sends a few kilobytes at once. */
const PATIENCE_MS = 10_000;

/** Whoever sends these has yet to show who they are: few are held in memory at once, and none for long. */
export function createHookBodies(patienceMs = PATIENCE_MS): (request: Request) => Promise<Buffer> {
  let underWay = 0;
  return async (request) => {
    if (underWay >= MOST_AT_ONCE) {
      throw new RequestError(429, `${MOST_AT_ONCE} webhooks are being read already, which is the limit.`, {
        hint: "Send it again in a few seconds.",
      });
    }
    underWay++;
    const late = AbortSignal.timeout(patienceMs);
    try {
      return await readBytes(request, late);
    } catch (error) {
      if (error instanceof RequestError) throw error;
      if (late.aborted) throw tooLate(patienceMs);
      throw new RequestError(400, "The connection broke off before the body was whole.");
    } finally {
      underWay--;
    }
  };
}

function tooLate(patienceMs: number): RequestError {
  return new RequestError(408, `The body did not come within ${patienceMs / 1000} seconds, which is the limit.`);
}
