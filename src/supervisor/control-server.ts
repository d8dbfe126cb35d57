import { rmSync } from "node:fs";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import type { ControlOrder } from "../ports/supervisor.ts";

/** Listens for orders, one JSON line each, and tells those who watch how the transcript grows. */
export interface ControlServer {
  grown(bytes: number): void;
  /** Takes no new connections and removes the socket; those that are open stay so. */
  stopListening(): void;
  /** Watchers take the end of their connection for the end of the job. */
  disconnect(): void;
}

const TELL_EVERY_MS = 50;
const MAX_REQUEST = 4096;
const ORDERS: readonly string[] = ["stop", "kill", "release", "pause", "resume"] satisfies ControlOrder[];

export async function listenForOrders(
  path: string,
  obey: (order: ControlOrder) => Promise<void>,
): Promise<ControlServer> {
  const connections = new Set<Socket>();
  const watchers = new Set<Socket>();
  let size = 0;
  let timer: NodeJS.Timeout | null = null;

  const server = createServer((socket) => {
    connections.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      connections.delete(socket);
      watchers.delete(socket);
    });
    readLines(socket, (line) => answer(socket, line));
  });

  function answer(socket: Socket, line: string): void {
    const order = parseOrder(line);
    if (order === "watch") {
      watchers.add(socket);
      if (size > 0) tell(socket, { grown: size });
    } else if (isOrder(order)) {
      obey(order).then(
        () => tell(socket, { ok: true }),
        () => tell(socket, { ok: false }),
      );
    } else {
      tell(socket, { ok: false, error: `Orders are ${ORDERS.join(", ")} and watch.` });
    }
  }

  // Only the holder of the claim comes here: what stands there was left by a dead one of the same name.
  rmSync(path, { force: true });
  await listen(server, path);
  return {
    grown(bytes) {
      size = bytes;
      timer ??= setTimeout(() => {
        timer = null;
        for (const socket of watchers) tell(socket, { grown: size });
      }, TELL_EVERY_MS);
    },
    stopListening: () => void server.close(),
    disconnect() {
      if (timer !== null) clearTimeout(timer);
      for (const socket of connections) socket.destroy();
    },
  };
}

function listen(server: Server, path: string): Promise<void> {
  // The socket is made with the umask of this moment; the commands shall keep the user's own.
  const umask = process.umask(0o077);
  try {
    server.listen(path);
  } finally {
    process.umask(umask);
  }
  return new Promise((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", reject);
  });
}

function readLines(socket: Socket, onLine: (line: string) => void): void {
  let pending = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    const lines = (pending + text).split("\n");
    pending = lines.pop() ?? "";
    if (pending.length > MAX_REQUEST) socket.destroy();
    lines.forEach(onLine);
  });
}

function parseOrder(line: string): unknown {
  try {
    const request: unknown = JSON.parse(line);
    return typeof request === "object" && request !== null && "order" in request ? request.order : null;
  } catch {
    return null;
  }
}

function isOrder(order: unknown): order is ControlOrder {
  return typeof order === "string" && ORDERS.includes(order);
}

function tell(socket: Socket, message: unknown): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}
