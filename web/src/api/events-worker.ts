/// <reference lib="webworker" />
// Browsers open at most six connections to one origin, so all tabs share one event stream.
import { api } from "./client.ts";
import { followEvents, type EventFollower } from "./follow-events.ts";
import type { Connection, LiveMessage, TabMessage } from "./live-messages.ts";

const tabs = new Set<MessagePort>();
let connection: Connection = { state: "connecting" };
let follower: EventFollower | null = null;

function send(message: LiveMessage): void {
  if (message.kind === "connection") connection = message.connection;
  for (const tab of tabs) tab.postMessage(message);
}

// The cast is safe: this file runs only as a shared worker.
(self as unknown as SharedWorkerGlobalScope).addEventListener("connect", ({ ports: [port] }) => {
  if (port === undefined) return;
  tabs.add(port);
  port.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => {
    if (data === "leave") tabs.delete(port);
    else follower?.retry();
  });
  port.start();
  port.postMessage({ kind: "connection", connection } satisfies LiveMessage);
  follower ??= followEvents(api, send);
});
