import { afterEach } from "vitest";
import { openNightly, type Nightly, type NightlyOptions } from "./nightly.ts";

export const PATIENCE_MS = 200_000;
/** Timeout of a test with whole nights. */
export const PATIENCE = { timeout: 240_000 };

/** The night of the current test. `open` creates it, and it is closed after the test. */
export let night: Nightly;

export async function open(options: NightlyOptions): Promise<void> {
  night = await openNightly({ timeoutMs: PATIENCE_MS, ...options });
}

afterEach(async () => {
  await night.close();
}, 60_000);
