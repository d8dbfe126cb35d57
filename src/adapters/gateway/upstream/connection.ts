import { validateHeaderName, validateHeaderValue } from "node:http";
import type { OutgoingHttpHeaders } from "node:http";
import { connect as connectPlain, isIP } from "node:net";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { createAnswerReader } from "./read-answer.ts";
import type { AnswerListener, AnswerReader } from "./read-answer.ts";

export interface Place {
  readonly isPlain: boolean;
  readonly host: string;
  readonly port: number;
}

export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** Null: none, as a GET has it. */
  readonly body: Buffer | null;
}

export interface ConnectionListener extends AnswerListener {
  /** Once, and not after the end: there will be no answer, or no more of it. */
  onFail(error: Error): void;
}

/** A connection to upstream, for one request at a time. */
export interface Connection {
  /** Whether all of the request has left. */
  readonly isSent: boolean;
  send(ask: Ask, listener: ConnectionListener): void;
  pause(): void;
  resume(): void;
  /** Nobody is told of it. */
  destroy(): void;
}

interface ConnectionParams {
  readonly place: Place;
  /** Of an earlier connection, which makes the handshake shorter. */
  readonly session: Buffer | undefined;
  readonly onSession: (session: Buffer | undefined) => void;
  /** Can be used again. */
  readonly onFree: (connection: Connection) => void;
  readonly onGone: (connection: Connection) => void;
}

/** A model may think for long before it says a word. */
const SILENCE_MS = 15 * 60_000;
/** Shorter than what the vendors' servers wait: a request should not meet a door that is just being closed. */
const IDLE_MS = 30_000;
const READ_BYTES = 64 * 1024;

export function openConnection(params: ConnectionParams): Connection {
  let current: { readonly reader: AnswerReader; readonly listener: ConnectionListener } | null = null;
  let isSent = false;
  let isKept = true;

  const socket = connect(params, (bytes) => {
    // Nothing was asked: whatever it is, it must not become the answer to the next request.
    if (current === null) return void socket.destroy();
    try {
      current.reader.push(bytes);
    } catch (error) {
      fail(error as Error);
    }
  });

  function fail(error: Error): void {
    const failed = current;
    current = null;
    socket.destroy();
    failed?.listener.onFail(error);
  }

  function finish(listener: AnswerListener, isClean: boolean): void {
    current = null;
    // An answer that did not wait for the whole request leaves a connection that is still busy with it.
    if (isClean && isKept && isSent && !socket.destroyed) {
      socket.setTimeout(IDLE_MS);
      socket.unref();
      socket.resume();
      params.onFree(connection);
    } else socket.destroy();
    listener.onEnd(isClean);
  }

  socket.on("timeout", () => fail(new Error("it was silent for too long")));
  socket.on("error", (error) => {
    params.onSession(undefined);
    fail(error);
  });
  socket.once("end", () => {
    if (current?.reader.close() === true) finish(current.listener, false);
  });
  socket.once("close", () => {
    params.onGone(connection);
    fail(Object.assign(new Error("it closed the connection"), { code: "ECONNRESET" }));
  });

  const connection: Connection = {
    get isSent() {
      return isSent;
    },
    send(ask, listener) {
      // Whoever has enough in the midst of an answer hears no more of it, though the rest may be here already.
      const isHeard = (): boolean => current?.listener === listener;
      const reader = createAnswerReader({
        onHead(head) {
          isKept = head.isKept;
          listener.onHead(head);
        },
        onBody: (piece) => isHeard() && listener.onBody(piece),
        onEnd: (isClean) => isHeard() && finish(listener, isClean),
      });
      current = { reader, listener };
      isSent = false;
      socket.ref();
      socket.setTimeout(SILENCE_MS);
      write(socket, ask, { onSent: () => (isSent = true), onFail: fail });
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    destroy() {
      current = null;
      socket.destroy();
    },
  };
  return connection;
}

/** What comes is read into the same piece of memory again and again, and has to be used before `take` returns. */
function connect({ place, session, onSession }: ConnectionParams, take: (bytes: Buffer) => void): Socket {
  const callback = (length: number, buffer: Uint8Array): boolean => {
    take((buffer as Buffer).subarray(0, length));
    return true;
  };
  const options = {
    host: place.host,
    port: place.port,
    noDelay: true,
    onread: { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback },
  };
  if (place.isPlain) return connectPlain(options);
  const servername = isIP(place.host) === 0 ? place.host : "";
  const secure = { servername, rejectUnauthorized: true, ALPNProtocols: ["http/1.1"], session };
  return connectTls({ ...options, ...secure }).on("session", onSession);
}

interface WriteListener {
  readonly onSent: () => void;
  readonly onFail: (error: Error) => void;
}

function write(socket: Socket, ask: Ask, { onSent, onFail }: WriteListener): void {
  try {
    const head = headOf(ask);
    socket.cork();
    socket.write(head, "latin1");
    socket.write(ask.body ?? "", onSent);
    socket.uncork();
  } catch (error) {
    // A header that none may be. Told like every other failure: not before whoever sends knows that it is under way.
    process.nextTick(onFail, error);
  }
}

function headOf({ method, path, headers, body }: Ask): string {
  const all = { ...headers, connection: "keep-alive", ...(body !== null && { "content-length": body.length }) };
  const lines = Object.entries(all).map(([name, value]) => {
    validateHeaderName(name);
    validateHeaderValue(name, String(value));
    return `${name}: ${String(value)}\r\n`;
  });
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
