import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

const REASONS = { 400: "Bad Request", 403: "Forbidden", 407: "Proxy Authentication Required", 502: "Bad Gateway" };

export function refuse(client: Duplex, status: keyof typeof REASONS, sentence: string): void {
  if (!client.writable) return void client.destroy();
  const body = `${sentence}\n`;
  const headers = [
    "content-type: text/plain",
    `content-length: ${Buffer.byteLength(body)}`,
    ...(status === 407 ? ['proxy-authenticate: Basic realm="nightshift"'] : []),
    "connection: close",
  ];
  client.end(`HTTP/1.1 ${status} ${REASONS[status]}\r\n${headers.join("\r\n")}\r\n\r\n${body}`);
  // Read the rest of the request for a short time, so that a reset does not discard the response.
  client.resume();
  setTimeout(() => client.destroy(), 1_000).unref();
}

/** Compares in constant time. */
export function isAuthorised(request: IncomingMessage, token: string): boolean {
  const [, encoded = ""] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(request.headers["proxy-authorization"] ?? "") ?? [];
  const password = Buffer.from(encoded, "base64")
    .toString("utf8")
    .replace(/^[^:]*:/, "");
  return timingSafeEqual(hash(password), hash(token));
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
