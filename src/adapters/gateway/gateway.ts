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
  /** A Unix socket, for a sandbox to mount; null: a port of loopback. */
  readonly socket: string | null;
  /** What each request came to, as a line of our own event format. */
  readonly onUsage: (line: string) => void;
  /** A sentence for the transcript. */
  readonly onNote: (sentence: string) => void;
  /** A request was refused or cut off for the limit's sake: the run cannot go on. Called once. */
  readonly onExhausted: (sentence: string) => void;
}

export interface Gateway {
  /** Null where it listens on a socket. */
  readonly port: number | null;
  /** Breaks off what is under way, counts it, and closes the door. Idempotent. */
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 128;
const MAX_HEADER_BYTES = 64 * 1024;

export async function openGateway(params: GatewayParams): Promise<Gateway> {
  const upstream = openUpstream(params.plan.upstream);
  const handle = createHandler(params, upstream);
  const underWay = new Set<Promise<void>>();
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: 60_000 }, (request, response) => {
    const work = handle(request, response).finally(() => underWay.delete(work));
    underWay.add(work);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await listen(server, params.socket);
  // A server that listens on TCP has an address of this kind.
  const port = params.socket === null ? (server.address() as AddressInfo).port : null;
  return {
    port,
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      // Also called back, with an error, when it is closed already.
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
      await promise;
      await Promise.all(underWay);
      upstream.close();
    },
  };
}

/** Who gets as far as the socket's directory is decided by those who mount it; the nonce decides the rest. */
async function listen(server: Server, socket: string | null): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  if (socket === null) server.listen({ host: "127.0.0.1", port: 0 }, () => resolve());
  else {
    rmSync(socket, { force: true });
    server.listen({ path: socket }, () => resolve());
  }
  await promise;
  if (socket !== null) chmodSync(socket, 0o666);
  server.off("error", reject);
  // Too many open files, most likely: this client has to come again.
  server.on("error", () => undefined);
}
