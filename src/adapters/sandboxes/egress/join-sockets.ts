import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/**
 * Connects two sockets in both directions. Each side may close its half first. If one breaks, both are destroyed.
 */
export function joinSockets(client: Duplex, upstream: Socket, idleMs: number): void {
  forward(client, upstream);
  forward(upstream, client);
  // One timer is enough: data of both directions passes through this socket.
  upstream.setTimeout(idleMs, () => upstream.destroy());
}

function forward(from: Duplex, to: Duplex): void {
  from.on("error", () => to.destroy());
  from.on("close", () => {
    const isComplete = from.readableEnded && from.writableFinished;
    if (!isComplete) to.destroy();
  });
  from.pipe(to);
}
