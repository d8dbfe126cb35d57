import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import type { Server } from "node:net";
import { basename, dirname } from "node:path";
import type { Duplex } from "node:stream";

/** A socket path is limited to 107 bytes, but run directories are deep, so long paths are opened through their directory. */
export function shortenSocketPath(path: string): { readonly path: string; release(): void } {
  if (Buffer.byteLength(path) <= 103) return { path, release: () => undefined };
  let handle: number | null = openSync(dirname(path), "r");
  return {
    path: `/proc/self/fd/${handle}/${basename(path)}`,
    release() {
      if (handle !== null) closeSync(handle);
      handle = null;
    },
  };
}

export type ListenAddress = { readonly path: string } | { readonly host: string; readonly port: number };

export async function listen(server: Server, address: ListenAddress): Promise<void> {
  server.listen(address);
  await once(server, "listening");
  // Usually too many open files. The client has to retry.
  server.on("error", () => undefined);
}

export async function closeServer(server: Server, open: ReadonlySet<Duplex>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // The callback also runs, with an error, if the server is already closed.
  server.close(() => resolve());
  for (const socket of open) socket.destroy();
  await promise;
}
