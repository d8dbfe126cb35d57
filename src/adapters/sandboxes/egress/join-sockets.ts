import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/**
 * What one sends the other gets, until both have said all; each may end its half first. When one breaks, both are gone.
 */
export function joinSockets(client: Duplex, upstream: Socket, idleMs: number): void {
  follow(client, upstream);
  follow(upstream, client);
  // One clock for both: each byte passes here, whichever way it goes.
  upstream.setTimeout(idleMs, () => upstream.destroy());
}

function follow(from: Duplex, to: Duplex): void {
  from.on("error", () => to.destroy());
  from.on("close", () => {
    const isWhole = from.readableEnded && from.writableFinished;
    if (!isWhole) to.destroy();
  });
  from.pipe(to);
}
