import { Agent as HttpAgent, request as requestPlain } from "node:http";
import type { ClientRequest, OutgoingHttpHeaders } from "node:http";
import { Agent as HttpsAgent, request as requestSecure } from "node:https";
import { UserError } from "../../../core/text/errors.ts";
import { mentionCredentials } from "../../../core/text/without-credentials.ts";

/** The model's API: the only server that requests go to. */
export interface Upstream {
  readonly name: string;
  /** Starts a request; the caller ends it with the body. Throws if a header is invalid. */
  request(head: RequestHead): ClientRequest;
  close(): void;
}

export interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** Use a new connection, not one that was kept open after an earlier request. */
  readonly isFresh: boolean;
}

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);
/** A model may think for a long time before it answers. */
const RESPONSE_TIMEOUT_MS = 15 * 60_000;
/** Idle connections are closed before the vendors' servers close them, so that requests do not fail on a dead connection. */
const IDLE_MS = 30_000;
const MAX_HEADER_BYTES = 64 * 1024;

export function openUpstream(address: string): Upstream {
  const url = readAddress(address);
  const isPlain = url.protocol === "http:";
  const base = url.pathname.replace(/\/+$/, "");
  const options = { keepAlive: true, timeout: IDLE_MS };
  const agent = isPlain ? new HttpAgent(options) : new HttpsAgent(options);
  const send = isPlain ? requestPlain : requestSecure;
  return {
    name: url.host,
    request({ method, path, headers, isFresh }) {
      const request = send({
        method,
        // The brackets of an IPv6 address are part of the URL only.
        host: url.hostname.replace(/^\[|\]$/g, ""),
        port: url.port === "" ? (isPlain ? 80 : 443) : Number(url.port),
        path: base + path,
        headers: { ...headers, host: url.host },
        agent: isFresh ? false : agent,
        timeout: RESPONSE_TIMEOUT_MS,
        maxHeaderSize: MAX_HEADER_BYTES,
        // Explicit, so that no environment variable can switch the check off.
        rejectUnauthorized: true,
      });
      request.once("timeout", () => request.destroy(new Error("no data for too long")));
      return request;
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
    `The address ${mentionCredentials(address)} is not safe for sending a key.`,
    "It must start with https:// (or http:// for this machine, such as 127.0.0.1) and must not contain a user, password or query.",
  );
}
