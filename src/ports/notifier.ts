import type { Notice } from "./store.ts";

/**
 * Sends notices through one channel. Rejects if the notice did not arrive, with a DeliveryError if there are details; the
 * outbox then retries. Must end in bounded time, even if the service does not answer. Sending twice must be harmless: after
 * a crash between sending and recording, the notice is sent again with the same `deliveryId`.
 */
export interface Notifier {
  send(notice: Notice, signal: AbortSignal): Promise<void>;
}
