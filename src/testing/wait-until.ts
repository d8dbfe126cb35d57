import { setTimeout as sleep } from "node:timers/promises";

/** Polls a condition until it is true. Throws after the timeout. */
export async function waitUntil(condition: () => boolean, timeoutMs = 10_000): Promise<void> {
  for (const deadline = performance.now() + timeoutMs; !condition(); await sleep(10)) {
    if (performance.now() > deadline) throw new Error(`Condition not met within ${timeoutMs} ms: ${String(condition)}`);
  }
}
