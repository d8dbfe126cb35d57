import { once } from "node:events";
import { chmodSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface GatewayServer {
  /** Null if it listens on a socket. */
  readonly port: number | null;
  /** Aborts pending requests and stops listening. Idempotent. */
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 128;
const MAX_HEADER_BYTES = 64 * 1024;

/** Serves HTTP on a Unix socket that a sandbox can mount, or on a loopback port. `handle` must not reject. */
export async function openServer(
  socket: string | null,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<GatewayServer> {
  const pending = new Set<Promise<void>>();
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: 60_000 }, (request, response) => {
    const work = handle(request, response).finally(() => pending.delete(work));
    pending.add(work);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const sockets = new Set<Socket>();
  server.on("connection", (peer) => {
    sockets.add(peer);
    peer.once("close", () => sockets.delete(peer));
  });
  await listen(server, socket);
  return {
    // A TCP server always has an AddressInfo.
    port: socket === null ? (server.address() as AddressInfo).port : null,
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      // Also called, with an error, if the server is already closed.
      server.close(() => resolve());
      for (const peer of sockets) peer.destroy();
      await promise;
      await Promise.all(pending);
    },
  };
}

/** The socket is writable for everyone: its directory and the sandbox's mounts limit the access. */
async function listen(server: Server, socket: string | null): Promise<void> {
  if (socket !== null) rmSync(socket, { force: true });
  server.listen(socket === null ? { host: "127.0.0.1", port: 0 } : { path: socket });
  await once(server, "listening");
  if (socket !== null) chmodSync(socket, 0o666);
  // Most likely too many open files. The client has to retry.
  server.on("error", () => undefined);
}
