import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { UserError } from "../core/text/errors.ts";
import { type App, type AppOptions, createApp } from "./app.ts";
import type { HttpDeps } from "./deps.ts";
import { type Address, baseUrl } from "./guard.ts";

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  readonly app: App;
  close(): Promise<void>;
}

/** Time that pending responses get when the server closes. */
const GRACE_MS = 1000;
/** Limits for receiving a request. A response has no limit, because it may be an event stream. */
const REQUEST_TIMEOUTS = { headersTimeout: 15_000, requestTimeout: 60_000, connectionsCheckingInterval: 5000 };
/** Leaves file descriptors for the files and processes of runs. */
const MAX_CONNECTIONS = 512;

/** Returns why the daemon must not listen on this address, or null if it may. */
export function refuseListening({ host, publicUrl }: Pick<Address, "host" | "publicUrl">): string | null {
  if (isLoopback(host) || publicUrl?.startsWith("https://") === true) return null;
  return `Listening on ${host} without TLS would let others on the network read the token. Only loopback (127.0.0.1, ::1, localhost) is allowed.`;
}

/** Another program listens on this port. */
export class PortInUseError extends UserError {
  constructor({ host, port }: Omit<Address, "publicUrl">) {
    super(
      "unavailable",
      `Port ${port} on ${host} is in use by another program.`,
      "Choose another port, or 0 for any free port.",
    );
  }
}

/** Port 0 means any free port. */
export async function openHttpServer(deps: HttpDeps, wanted: Address, options?: AppOptions): Promise<HttpServer> {
  const refusal = refuseListening(wanted);
  if (refusal !== null) {
    throw new UserError(
      "forbidden",
      refusal,
      "Put a TLS proxy in front and configure its https address, or listen on 127.0.0.1.",
    );
  }
  let app: App | null = null;
  const server = createAdaptorServer({
    // The server accepts connections only after the port is known. By then the app exists.
    fetch: (request, env) => app?.fetch(request, env) ?? new Response(null, { status: 503 }),
    overrideGlobalObjects: false,
    serverOptions: REQUEST_TIMEOUTS,
  }) as Server; // without the option `createServer`, this is a node:http server
  server.maxConnections = MAX_CONNECTIONS;
  const { port } = await listen(server, wanted);
  const opened = createApp(deps, { ...wanted, port }, options);
  app = opened;
  return {
    url: baseUrl({ host: reachableHost(wanted.host), port, publicUrl: null }),
    port,
    app: opened,
    async close() {
      opened.close();
      await closeServer(server);
    },
  };
}

/** Programs on this machine connect to loopback if the server listens on all addresses. */
function reachableHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}

async function listen(server: Server, { host, port }: Address): Promise<AddressInfo> {
  return await new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, { host, port })));
    // The cast is safe: a server that listens on TCP has an AddressInfo.
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}

async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    // A connection whose response ends later becomes idle, and server.close() does not close it by itself.
    const idle = setInterval(() => server.closeIdleConnections(), 20);
    const grace = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(grace);
      resolve();
    });
  });
}

function explain(error: NodeJS.ErrnoException, { host, port }: Omit<Address, "publicUrl">): Error {
  switch (error.code) {
    case "EADDRINUSE":
      return new PortInUseError({ host, port });
    case "EACCES":
      return new UserError(
        "unavailable",
        `This user may not listen on port ${port}.`,
        "Choose a port of 1024 or higher.",
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new UserError("unavailable", `${host} is not an address of this machine.`, "Listen on 127.0.0.1.");
    default:
      return error;
  }
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
