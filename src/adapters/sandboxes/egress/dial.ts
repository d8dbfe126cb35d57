import { connect } from "node:net";
import type { Socket } from "node:net";
import { codeOf } from "./resolve-target.ts";

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
  let why = "no address";
  for (const [index, address] of addresses.entries()) {
    const left = deadline - performance.now();
    if (left <= 0 || signal.aborted) break;
    // Limits the share of each address, so that a broken IPv6 route does not use up all the time.
    const share = index === addresses.length - 1 ? left : Math.max(left / 4, Math.min(left, 1_000));
    const answer = await waitForConnection(dial(address, port), share, signal);
    if (typeof answer !== "string") return answer;
    why = answer;
  }
  return why;
}

function waitForConnection(socket: Socket, timeoutMs: number, signal: AbortSignal): Promise<Socket | string> {
  const { promise, resolve } = Promise.withResolvers<Socket | string>();
  const giveUp = (why: string): void => {
    resolve(why);
    socket.destroy();
  };
  const leave = (): void => giveUp("the client left");
  const timer = setTimeout(() => giveUp("no answer in time"), timeoutMs);
  signal.addEventListener("abort", leave, { once: true });
  socket.once("connect", () => resolve(socket));
  // Never removed: an error before the next listener is attached must not end the supervisor.
  socket.on("error", (error) => resolve(codeOf(error)));
  socket.once("close", () => resolve("it was closed"));
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", leave);
  });
}
