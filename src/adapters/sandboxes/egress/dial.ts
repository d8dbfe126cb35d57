import { connect } from "node:net";
import type { Socket } from "node:net";
import { codeOf } from "./resolve-target.ts";

/** Begins a connection to an address, never to a name. */
export type Dial = (address: string, port: number) => Socket;

export function dialAddress(address: string, port: number): Socket {
  return connect({ host: address, port, allowHalfOpen: true, noDelay: true });
}

interface DialParams {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly dial: Dial;
  readonly timeoutMs: number;
  /** The client is gone: nobody needs the connection. */
  readonly signal: AbortSignal;
}

/** The first address that answers, tried in turn within the time for all; else why the last one did not. */
export async function dialFirst({ addresses, port, dial, timeoutMs, signal }: DialParams): Promise<Socket | string> {
  const deadline = performance.now() + timeoutMs;
  let why = "no address";
  for (const [index, address] of addresses.entries()) {
    const left = deadline - performance.now();
    if (left <= 0 || signal.aborted) break;
    // A network that promises IPv6 and has none would else use up the whole time.
    const share = index === addresses.length - 1 ? left : Math.max(left / 4, Math.min(left, 1_000));
    const answer = await answered(dial(address, port), share, signal);
    if (typeof answer !== "string") return answer;
    why = answer;
  }
  return why;
}

function answered(socket: Socket, timeoutMs: number, signal: AbortSignal): Promise<Socket | string> {
  const { promise, resolve } = Promise.withResolvers<Socket | string>();
  const giveUp = (why: string): void => {
    resolve(why);
    socket.destroy();
  };
  const leave = (): void => giveUp("the client left");
  const timer = setTimeout(() => giveUp("no answer in time"), timeoutMs);
  signal.addEventListener("abort", leave, { once: true });
  socket.once("connect", () => resolve(socket));
  // Stays for good: an error that comes between this and the next listener must not end the supervisor.
  socket.on("error", (error) => resolve(codeOf(error)));
  socket.once("close", () => resolve("it was closed"));
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", leave);
  });
}
