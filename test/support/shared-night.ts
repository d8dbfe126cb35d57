import { afterEach } from "vitest";
import { openNightly, type Nightly, type NightlyOptions } from "./nightly.ts";

export const TIMEOUT_MS = 200_000;
/** Timeout of a test with whole nights. */
export const TEST_TIMEOUT = { timeout: 240_000 };

/** The night of the current test. `open` creates it, and it is closed after the test. */
export let night: Nightly;

export async function open(options: NightlyOptions): Promise<void> {
  night = await openNightly({ timeoutMs: TIMEOUT_MS, ...options });
}

afterEach(async () => {
  await night.close();
}, 60_000);
