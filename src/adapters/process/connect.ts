import { createConnection } from "node:net";
import type { Socket } from "node:net";
import { readJob } from "./job-files.ts";

/** Connects to the supervisor of the job in `dir`. Returns null if none is listening. */
export async function connect(dir: string): Promise<Socket | null> {
  const path = readJob(dir)?.socket;
  if (path === undefined) return null;
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once("connect", () => resolve(socket));
    // Later errors lead to a "close" event, which callers wait for.
    socket.on("error", () => resolve(null));
  });
}

export function sendLine(socket: Socket, message: unknown): void {
  socket.write(`${JSON.stringify(message)}\n`);
}
