import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { UserError } from "../core/text/errors.ts";
import { type App, type AppOptions, createApp } from "./app.ts";
import type { HttpDeps } from "./deps.ts";
import { baseUrl } from "./guard.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** The https address of the proxy that people reach the daemon through, where there is one. */
  readonly publicUrl: string | null;
}

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  readonly app: App;
  close(): Promise<void>;
}

/** How long answers under way may take when the server closes. */
const GRACE_MS = 1000;
/** Until a request is here whole, its head first; an answer, as a stream of events, may take as long as it likes. */
const PATIENCE = { headersTimeout: 15_000, requestTimeout: 60_000, connectionsCheckingInterval: 5000 };
/** The files and programs of the night need the same descriptors. */
const MAX_CONNECTIONS = 512;

/** Why this address must not be listened on; null where it may. */
export function refuseListening({ host, publicUrl }: Pick<ListenOptions, "host" | "publicUrl">): string | null {
  if (isLoopback(host) || publicUrl?.startsWith("https://") === true) return null;
  return `Listening on ${host} would let others on the network read the token: without TLS only loopback (127.0.0.1, ::1, localhost) is allowed.`;
}

export async function openHttpServer(
  deps: HttpDeps,
  options: ListenOptions,
  appOptions?: AppOptions,
): Promise<HttpServer> {
  const refusal = refuseListening(options);
  if (refusal !== null) {
    throw new UserError(
      "forbidden",
      refusal,
      "Put a proxy with TLS in front and declare its https address, or listen on 127.0.0.1.",
    );
  }
  let app: App | null = null;
  const server = createAdaptorServer({
    // A connection is only taken once the port is known, and then there is an app.
    fetch: (request, env) => app?.fetch(request, env) ?? new Response(null, { status: 503 }),
    overrideGlobalObjects: false,
    serverOptions: PATIENCE,
  }) as Server; // without `createServer` it makes a node:http server
  server.maxConnections = MAX_CONNECTIONS;
  const { port } = await listen(server, options);
  const address = { host: options.host, port, publicUrl: options.publicUrl };
  app = createApp(deps, address, appOptions);
  const opened = app;
  return {
    url: baseUrl({ ...address, publicUrl: null }),
    port,
    app: opened,
    async close() {
      opened.close();
      await closeServer(server);
    },
  };
}

async function listen(server: Server, { host, port }: ListenOptions): Promise<AddressInfo> {
  return await new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, host, port)));
    // A server that listens on TCP has an AddressInfo.
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}

async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    // A connection whose answer ends after this begins is idle then, and nobody else would close it.
    const idle = setInterval(() => server.closeIdleConnections(), 20);
    const grace = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(grace);
      resolve();
    });
  });
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case "EADDRINUSE":
      return new UserError(
        "unavailable",
        `Port ${port} on ${host} is in use by another program.`,
        "Choose another port, or 0 for any that is free.",
      );
    case "EACCES":
      return new UserError("unavailable", `This user may not listen on port ${port}.`, "Choose a port from 1024 on.");
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
