import { connect } from "node:net";
import type { Socket } from "node:net";
import { errorCode } from "./resolve-target.ts";

/** Starts a connection to an IP address, never to a host name. */
export type Dial = (address: string, port: number) => Socket;

export function dialAddress(address: string, port: number): Socket {
  return connect({ host: address, port, allowHalfOpen: true, noDelay: true });
}

interface DialParams {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly dial: Dial;
  readonly timeoutMs: number;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** Tries the addresses in turn within the timeout and returns the first connection, or the reason why the last one failed. */
export async function dialFirst({ addresses, port, dial, timeoutMs, signal }: DialParams): Promise<Socket | string> {
  const deadline = performance.now() + timeoutMs;
  let reason = "no address";
  for (const [index, address] of addresses.entries()) {
    const remainingMs = deadline - performance.now();
    if (remainingMs <= 0 || signal.aborted) break;
    // Limits the share of each address, so that a broken IPv6 route does not use up all the time.
    const share =
      index === addresses.length - 1 ? remainingMs : Math.max(remainingMs / 4, Math.min(remainingMs, 1_000));
    const result = await waitForConnection(dial(address, port), share, signal);
    if (typeof result !== "string") return result;
    reason = result;
  }
  return reason;
}

function waitForConnection(socket: Socket, timeoutMs: number, signal: AbortSignal): Promise<Socket | string> {
  const { promise, resolve } = Promise.withResolvers<Socket | string>();
  const giveUp = (reason: string): void => {
    resolve(reason);
    socket.destroy();
  };
  const onAbort = (): void => giveUp("the client disconnected");
  const timer = setTimeout(() => giveUp("timed out"), timeoutMs);
  signal.addEventListener("abort", onAbort, { once: true });
  socket.once("connect", () => resolve(socket));
  // Never removed: an error before the next listener is attached must not end the supervisor.
  socket.on("error", (error) => resolve(errorCode(error)));
  socket.once("close", () => resolve("the connection was closed"));
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  });
}
