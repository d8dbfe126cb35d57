import type { Notice } from "./store.ts";

/** A channel to people. Rejects when the notice did not arrive; the outbox tries again. Sending twice must be harmless. */
export interface Notifier {
  readonly channel: string;
  send(notice: Notice): Promise<void>;
}
