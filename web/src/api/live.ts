import { useSyncExternalStore } from "react";
import { api } from "./client.ts";
import { followEvents } from "./follow-events.ts";
import type { Connection, LiveMessage, TabMessage } from "./live-messages.ts";

export type { Connection } from "./live-messages.ts";

type Listener = (message: LiveMessage) => void;

let connection: Connection = { state: "connecting" };
const listeners = new Set<Listener>();
let retryNow = (): void => {};

function receive(message: LiveMessage): void {
  if (message.kind === "connection") connection = message.connection;
  for (const listener of listeners) listener(message);
}

/** Connects this tab to the event stream. Call it once. */
export function startLive(): void {
  // Chrome for Android has no shared workers. A phone rarely has more than a few tabs of one page.
  if (typeof SharedWorker === "undefined") {
    const follower = followEvents(api, receive);
    retryNow = follower.retry;
    return;
  }
  const worker = new SharedWorker(new URL("./events-worker.ts", import.meta.url), { type: "module" });
  worker.port.addEventListener("message", ({ data }: MessageEvent<LiveMessage>) => receive(data));
  worker.port.start();
  const tell = (message: TabMessage): void => worker.port.postMessage(message);
  retryNow = () => tell("retry");
  addEventListener("pagehide", () => tell("leave"));
}

export function subscribeToLive(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Tries to connect to the daemon now. */
export function retryConnection(): void {
  retryNow();
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribeToLive, () => connection);
}
