import { UserError } from "../../../core/text/errors.ts";
import { openConnection } from "./connection.ts";
import type { Ask, Connection, ConnectionListener } from "./connection.ts";

/** The one place where requests go. */
export interface Upstream {
  readonly name: string;
  /** `isFresh`: on a connection that nobody used before. */
  send(ask: Ask, isFresh: boolean, listener: ConnectionListener): Sending;
  close(): void;
}

export interface Sending {
  readonly connection: Connection;
  /** Whether the connection had been kept from an earlier request. */
  readonly isReused: boolean;
}

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

export function openUpstream(address: string): Upstream {
  const url = readAddress(address);
  const isPlain = url.protocol === "http:";
  const place = {
    isPlain,
    // The brackets of an IPv6 address belong to the URL.
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (isPlain ? 80 : 443) : Number(url.port),
  };
  const base = url.pathname.replace(/\/+$/, "");
  const open = new Set<Connection>();
  // Kept open between requests: shaking hands anew would keep each of them waiting.
  let free: Connection[] = [];
  let session: Buffer | undefined;

  function connect(): Connection {
    const connection = openConnection({
      place,
      session,
      onSession: (latest) => (session = latest),
      onFree: (one) => free.push(one),
      onGone(one) {
        open.delete(one);
        free = free.filter((other) => other !== one);
      },
    });
    open.add(connection);
    return connection;
  }

  return {
    name: url.host,
    send(ask, isFresh, listener) {
      // The one that was used last is the least likely to be closed by now.
      const kept = isFresh ? undefined : free.pop();
      const connection = kept ?? connect();
      connection.send({ ...ask, path: base + ask.path, headers: { ...ask.headers, host: url.host } }, listener);
      return { connection, isReused: kept !== undefined };
    },
    close() {
      for (const connection of open) connection.destroy();
    },
  };
}

function readAddress(address: string): URL {
  const url = URL.parse(address);
  const isSafe =
    url !== null && (url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.has(url.hostname)));
  if (isSafe && url.username === "" && url.password === "" && url.search === "" && url.hash === "") return url;
  throw new UserError(
    "invalid",
    `The address of the model, ${address}, is none that a key may be sent to.`,
    "It must begin with https:// (http:// only on this machine: 127.0.0.1), and have no user, password or query in it.",
  );
}
