import type { Notice } from "./store.ts";

/**
 * A channel to people. Rejects when the notice did not arrive, with a DeliveryError where more than words can be said; the
 * outbox tries again. Ends by itself in bounded time, also where nobody answers. Sending twice must be harmless: a crash
 * between the sending and the writing of it sends a notice again, with the same `deliveryId`.
 */
export interface Notifier {
  send(notice: Notice, signal: AbortSignal): Promise<void>;
}
