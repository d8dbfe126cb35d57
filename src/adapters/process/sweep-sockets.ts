import { lstatSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { createConnection } from "node:net";
import { join } from "node:path";
import { hasCode } from "./job-files.ts";
import { socketFolder } from "./socket-path.ts";

/** A new socket may not be listening yet. */
const MIN_AGE_MS = 60_000;

/** Removes sockets without a listener. A supervisor cannot remove its own if it is killed or the disk is read-only. */
export async function sweepSockets(home: string): Promise<void> {
  const folder = socketFolder(home);
  for (const name of await listNames(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || Date.now() - stats.mtimeMs < MIN_AGE_MS) continue;
    if (!(await isListening(path))) await rm(path, { force: true });
  }
}

async function listNames(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error) => resolve(!hasCode(error, "ECONNREFUSED")));
  });
}
