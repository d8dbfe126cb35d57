import { once } from "node:events";
import { chmodSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { GatewayPlan } from "../../ports/gateway.ts";
import { createHandler } from "./handle.ts";
import { openUpstream } from "./upstream/upstream.ts";

export interface GatewayParams {
  readonly plan: GatewayPlan;
  readonly key: string;
  /** Path of a Unix socket that a sandbox can mount. Null listens on a loopback port. */
  readonly socket: string | null;
  /** Called with the usage of each request, as a line of Nightshift's event format. */
  readonly onUsage: (line: string) => void;
  /** Called with messages for the transcript. */
  readonly onNote: (sentence: string) => void;
  /** Called once when the limit is reached, so that a request was rejected or cut off and the run cannot continue. */
  readonly onExhausted: (sentence: string) => void;
}

export interface Gateway {
  /** Null if it listens on a socket. */
  readonly port: number | null;
  /** Aborts pending requests, counts them, and stops listening. Idempotent. */
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 128;
const MAX_HEADER_BYTES = 64 * 1024;

export async function openGateway(params: GatewayParams): Promise<Gateway> {
  const upstream = openUpstream(params.plan.upstream);
  const handle = createHandler(params, upstream);
  const pending = new Set<Promise<void>>();
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: 60_000 }, (request, response) => {
    const work = handle(request, response).finally(() => pending.delete(work));
    pending.add(work);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await listen(server, params.socket);
  // A TCP server always has an AddressInfo.
  const port = params.socket === null ? (server.address() as AddressInfo).port : null;
  return {
    port,
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      // Also called, with an error, if the server is already closed.
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
      await promise;
      await Promise.all(pending);
      upstream.close();
    },
  };
}

/** The socket is writable for everyone: access is limited by its directory and by the nonce. */
async function listen(server: Server, socket: string | null): Promise<void> {
  if (socket !== null) rmSync(socket, { force: true });
  server.listen(socket === null ? { host: "127.0.0.1", port: 0 } : { path: socket });
  await once(server, "listening");
  if (socket !== null) chmodSync(socket, 0o666);
  // Most likely too many open files. The client has to retry.
  server.on("error", () => undefined);
}
