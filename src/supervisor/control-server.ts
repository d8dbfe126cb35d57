import { rmSync } from "node:fs";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import type { ControlOrder } from "../ports/supervisor.ts";

/** Receives orders, one JSON line each, and notifies watchers when the transcript grows. */
export interface ControlServer {
  notifyGrown(bytes: number): void;
  /** Accepts no new connections and removes the socket. Open connections stay open. */
  stopListening(): void;
  /** Closes all connections. Watchers treat the end of their connection as the end of the job. */
  disconnect(): void;
}

const NOTIFY_INTERVAL_MS = 50;
const MAX_REQUEST = 4096;
const ORDERS: readonly string[] = ["stop", "kill", "release", "end_stuck", "pause", "resume"] satisfies ControlOrder[];

export async function listenForOrders(
  path: string,
  execute: (order: ControlOrder) => Promise<void>,
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
    readLines(socket, (line) => handleLine(socket, line));
  });

  function handleLine(socket: Socket, line: string): void {
    const order = parseOrder(line);
    if (order === "watch") {
      watchers.add(socket);
      if (size > 0) send(socket, { grown: size });
    } else if (isOrder(order)) {
      execute(order).then(
        () => send(socket, { ok: true }),
        () => send(socket, { ok: false }),
      );
    } else {
      send(socket, { ok: false, error: `Unknown order. Allowed are ${ORDERS.join(", ")} and watch.` });
    }
  }

  // Only the holder of the claim gets here, so an existing socket was left by a dead supervisor of the same job.
  rmSync(path, { force: true });
  await listen(server, path);
  return {
    notifyGrown(bytes) {
      size = bytes;
      timer ??= setTimeout(() => {
        timer = null;
        for (const socket of watchers) send(socket, { grown: size });
      }, NOTIFY_INTERVAL_MS);
    },
    stopListening: () => void server.close(),
    disconnect() {
      if (timer !== null) clearTimeout(timer);
      for (const socket of connections) socket.destroy();
    },
  };
}

function listen(server: Server, path: string): Promise<void> {
  // Make the socket private. The commands must keep the user's own umask.
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

function send(socket: Socket, message: unknown): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}
