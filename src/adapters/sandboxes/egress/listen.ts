import { closeSync, openSync } from "node:fs";
import type { Server } from "node:net";
import { basename, dirname } from "node:path";
import type { Duplex } from "node:stream";

/** The name of a socket has 107 bytes at most, and directories of runs are deep: then it is named from its directory on. */
export function reachSocket(path: string): { readonly path: string; letGo(): void } {
  if (Buffer.byteLength(path) <= 103) return { path, letGo: () => undefined };
  let handle: number | null = openSync(dirname(path), "r");
  return {
    path: `/proc/self/fd/${handle}/${basename(path)}`,
    letGo() {
      if (handle !== null) closeSync(handle);
      handle = null;
    },
  };
}

export type ListenPlace = { readonly path: string } | { readonly host: string; readonly port: number };

export async function listen(server: Server, where: ListenPlace): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(where, () => resolve());
  await promise;
  server.off("error", reject);
  // Too many open files, most likely: this client has to come again.
  server.on("error", () => undefined);
}

export async function closeServer(server: Server, open: ReadonlySet<Duplex>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // Also called back, with an error, when it is closed already.
  server.close(() => resolve());
  for (const socket of open) socket.destroy();
  await promise;
}
