import { readFileSync, writeFileSync } from "node:fs";
import type { ServerConfig } from "../config/files/user-config.ts";
import type { HttpDeps } from "../http/deps.ts";
import { type HttpServer, openHttpServer, PortInUseError } from "../http/listen.ts";

export interface OpenedServer {
  readonly server: HttpServer;
  /** The port is not the expected one. Null if it is. */
  readonly problem: string | null;
}

interface ServerOptions {
  readonly config: ServerConfig;
  /** The port of the command line, which must be free. */
  readonly port: number | null;
  /** File with the port of the previous daemon. */
  readonly portFile: string;
}

/**
 * Listens on the configured port, or on that of the previous daemon, so that bookmarks and open pages still work after a
 * restart. If another program has it, any free port is better than no daemon.
 */
export async function openServer(
  deps: HttpDeps,
  { config: { host, port: configured, publicUrl }, port, portFile }: ServerOptions,
): Promise<OpenedServer> {
  const wanted = port ?? configured ?? readPort(portFile);
  const open = (at: number): Promise<HttpServer> => openHttpServer(deps, { host, port: at, publicUrl });
  try {
    return { server: remember(await open(wanted), portFile), problem: null };
  } catch (error) {
    if (!(error instanceof PortInUseError) || port !== null || wanted === 0) throw error;
    const server = remember(await open(0), portFile);
    const fix =
      configured === null
        ? "Bookmarks of the page have the old port."
        : "Set `server.port` in config.yaml to another port, or end that program and restart the daemon.";
    return {
      server,
      problem: `Port ${wanted} is in use by another program, so the daemon listens on port ${server.port}. ${fix}`,
    };
  }
}

/** 0 (any free port) if there was no daemon yet. */
function readPort(file: string): number {
  try {
    const port = Number(readFileSync(file, "utf8"));
    return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : 0;
  } catch {
    return 0;
  }
}

function remember(server: HttpServer, file: string): HttpServer {
  try {
    writeFileSync(file, `${server.port}\n`, { mode: 0o600 });
  } catch {
    // On a full disk, the next daemon may have another port.
  }
  return server;
}
