import { chmodSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { UserError } from "../../../core/text/errors.ts";
import { coversRule, parseNetworkRules } from "../../../policy/access/network-rule.ts";
import type { NetworkRule } from "../../../policy/access/network-rule.ts";
import type { Denial } from "../../../ports/sandbox.ts";
import { dialAddress, dialFirst } from "./dial.ts";
import type { Dial } from "./dial.ts";
import { isAuthorised, refuse } from "./egress-responses.ts";
import { joinSockets } from "./join-sockets.ts";
import { closeServer, listen, shortenSocketPath } from "./listen.ts";
import type { ListenAddress } from "./listen.ts";
import { lookupAll, resolveTarget, showTarget } from "./resolve-target.ts";
import type { Lookup } from "./resolve-target.ts";

/**
 * The only network access of a sandbox. The proxy opens tunnels (CONNECT) to the allowed hosts and ports, resolves each name
 * once, and dials exactly the address it has checked. It does not inspect the traffic.
 */
export interface EgressParams {
  /** In the format of the configuration, see policy/access/network-rule.ts. */
  readonly rules: readonly string[];
  /** Hosts among them that may have a private address. */
  readonly privateHosts: readonly string[];
  /** Called once per distinct refusal, however often the program retries. */
  readonly onDenied: (denial: Denial) => void;
  readonly limits?: Partial<EgressLimits>;
  /** For tests, where a loopback server replaces a public one. */
  readonly lookup?: Lookup;
  readonly dial?: Dial;
}

export interface EgressLimits {
  readonly connections: number;
  /** Time from the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  readonly connectMs: number;
  /** Time after which an inactive tunnel is closed. */
  readonly idleMs: number;
  /** Maximum number of different refusals to report, separately for allowed and other targets. Further ones are only refused. */
  readonly denials: number;
}

const LIMITS: EgressLimits = {
  connections: 256,
  headersMs: 10_000,
  connectMs: 30_000,
  idleMs: 10 * 60_000,
  denials: 200,
};

const MAX_HEADER_BYTES = 8 * 1024;
const ONLY_TUNNELS_MESSAGE = "only tunnels (CONNECT), which clients use for https, are supported; plain http is not";

/** Listens on a Unix socket that every user may open. The mount of its directory decides who can reach it. */
export async function openEgressProxy(
  params: EgressParams & { readonly socket: string },
): Promise<{ close(): Promise<void> }> {
  const proxy = createProxy(params, null);
  const socket = shortenSocketPath(params.socket);
  try {
    rmSync(socket.path, { force: true });
    await proxy.listen({ path: socket.path });
    chmodSync(socket.path, 0o666);
  } catch (error) {
    socket.release();
    throw error;
  }
  return { close: () => proxy.close().finally(socket.release) };
}

/** Listens on a loopback port, for systems without network namespaces. A token identifies the run. */
export async function openEgressPort(
  params: EgressParams & { readonly token: string },
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const proxy = createProxy(params, params.token);
  await proxy.listen({ host: "127.0.0.1", port: 0 });
  // A TCP server always has this kind of address.
  return { port: (proxy.server.address() as AddressInfo).port, close: proxy.close };
}

function createProxy(params: EgressParams, token: string | null) {
  const limits = { ...LIMITS, ...params.limits };
  const rules = readRules(params.rules);
  const privateHosts = readRules(params.privateHosts);
  const reportOther = limitReports(params.onDenied, limits.denials);
  const reportAllowed = limitReports(params.onDenied, limits.denials);
  const report = (denial: Denial): void => (coversRule(rules, denial.target) ? reportAllowed : reportOther)(denial);
  const open = new Set<Duplex>();

  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.headersMs,
    keepAliveTimeout: limits.headersMs,
    connectionsCheckingInterval: Math.max(50, limits.headersMs / 4),
  });
  server.maxConnections = limits.connections;
  server.maxHeadersCount = 100;
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    // An error of one client must not end the supervisor.
    socket.on("error", () => socket.destroy());
  });
  server.on("clientError", (_, socket) => refuse(socket, 400, "This is not a valid proxy request."));
  server.on("request", (request, response) => {
    const target = showTarget(request.url ?? "");
    const sentence = `denied: ${target}; ${ONLY_TUNNELS_MESSAGE}`;
    report({ kind: "network", target, sentence });
    response.writeHead(405, { allow: "CONNECT", connection: "close", "content-type": "text/plain" });
    response.end(`${sentence}\n`);
  });
  server.on("connect", (request, client, head) => {
    tunnel(request, client, head).catch(() => client.destroy());
  });

  async function tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const disconnected = new AbortController();
    client.once("close", () => disconnected.abort());
    if (token !== null && !isAuthorised(request, token))
      return refuse(client, 407, "This proxy belongs to another run.");
    // Only the request line decides. A Host header is ignored.
    const resolved = await resolveTarget(request.url ?? "", { rules, privateHosts }, params.lookup ?? lookupAll);
    if (resolved.kind === "unreachable") return refuse(client, 502, resolved.sentence);
    if (resolved.kind === "denied") {
      const { target, sentence } = resolved;
      report({ kind: "network", target, sentence });
      return refuse(client, 403, sentence);
    }
    const { addresses, target } = resolved;
    const upstream = await dialFirst({
      addresses,
      port: target.port,
      dial: params.dial ?? dialAddress,
      timeoutMs: limits.connectMs,
      signal: disconnected.signal,
    });
    if (typeof upstream === "string") return refuse(client, 502, `${target.host} could not be reached: ${upstream}.`);
    join(client, upstream, head);
  }

  function join(client: Duplex, upstream: Socket, head: Buffer): void {
    // The client disconnected or the proxy was closed while dialing.
    if (client.destroyed || !server.listening) return void upstream.destroy();
    open.add(upstream);
    upstream.once("close", () => open.delete(upstream));
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) upstream.write(head);
    joinSockets(client, upstream, limits.idleMs);
  }

  return {
    server,
    listen: (address: ListenAddress) => listen(server, address),
    close: () => closeServer(server, open),
  };
}

function readRules(texts: readonly string[]): readonly NetworkRule[] {
  const { rules, problems } = parseNetworkRules(texts);
  if (problems.length > 0) throw new UserError("invalid", problems.join("\n"), "Correct `sandbox.network`.");
  return rules;
}

/** Passes on a limited number of different refusals. The receiver counts repetitions. */
function limitReports(onDenied: (denial: Denial) => void, maxReports: number): (denial: Denial) => void {
  const reported = new Set<string>();
  return (denial) => {
    if (reported.size >= maxReports && !reported.has(denial.sentence)) return;
    reported.add(denial.sentence);
    onDenied(denial);
  };
}
