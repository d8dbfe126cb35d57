import { Agent as HttpAgent, request as requestHttp } from "node:http";
import type { ClientRequest, OutgoingHttpHeaders } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { UserError } from "../../core/errors.ts";

/** The one place where requests go. */
export interface Upstream {
  readonly name: string;
  open(method: string, path: string, headers: OutgoingHttpHeaders): ClientRequest;
  close(): void;
}

/** A model may think for long before it says a word. */
const SILENCE_MS = 15 * 60_000;
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

export function openUpstream(address: string): Upstream {
  const url = readAddress(address);
  const isPlain = url.protocol === "http:";
  // Kept open between requests: shaking hands anew would keep each of them waiting.
  const agent = isPlain ? new HttpAgent({ keepAlive: true }) : new HttpsAgent({ keepAlive: true });
  const base = url.pathname.replace(/\/+$/, "");
  return {
    name: url.host,
    open(method, path, headers) {
      const options = {
        agent,
        method,
        // Node writes the brackets of an IPv6 address itself.
        host: url.hostname.replace(/^\[|\]$/g, ""),
        port: url.port === "" ? (isPlain ? 80 : 443) : Number(url.port),
        path: base + path,
        headers: { ...headers, host: url.host },
        timeout: SILENCE_MS,
      };
      return isPlain ? requestHttp(options) : requestHttps({ ...options, rejectUnauthorized: true });
    },
    close: () => agent.destroy(),
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
