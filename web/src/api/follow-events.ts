import { type Client, ProblemError } from "../../../src/http/client/client.ts";
import type { LiveMessage } from "./live-messages.ts";

/** A restart of the daemon takes a second or two. */
const RETRY_MS = 1000;
const SIGNED_OUT_RETRY_MS = 5000;

export interface EventFollower {
  /** Tries to connect now. */
  retry(): void;
}

/** Follows the daemon's events for as long as the page is open, across restarts of the daemon. */
export function followEvents(client: Client, send: (message: LiveMessage) => void): EventFollower {
  let wake: (() => void) | null = null;
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  void follow(client, send, pause);
  return { retry: () => wake?.() };
}

async function follow(
  client: Client,
  send: (message: LiveMessage) => void,
  pause: (ms: number) => Promise<void>,
): Promise<never> {
  let last: number | null = null;
  let awaySince: number | null = null;
  let wasOpen = false;
  const onConnection = (isOpen: boolean): void => {
    if (!isOpen) return sendAway();
    // Without the id of an event there is no way to ask for what was missed.
    if (wasOpen && last === null) send({ kind: "reset" });
    wasOpen = true;
    awaySince = null;
    send({ kind: "connection", connection: { state: "open" } });
  };
  const sendAway = (): void => {
    awaySince ??= Date.now();
    send({ kind: "connection", connection: { state: "away", since: awaySince } });
  };
  for (;;) {
    let delay = RETRY_MS;
    try {
      const signal = new AbortController().signal;
      const options = { signal, onConnection, onReset: () => send({ kind: "reset" }) };
      for await (const event of client.events(last === null ? options : { ...options, after: last })) {
        last = event.id;
        send({ kind: "event", event });
      }
    } catch (error) {
      if (error instanceof ProblemError && error.status === 401) {
        send({ kind: "connection", connection: { state: "signed-out" } });
        delay = SIGNED_OUT_RETRY_MS;
      } else sendAway();
    }
    await pause(delay);
  }
}
