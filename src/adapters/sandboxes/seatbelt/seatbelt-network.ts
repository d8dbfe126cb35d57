import { randomBytes } from "node:crypto";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import type { Denial, SandboxPolicy } from "../../../ports/sandbox.ts";
import { openEgressPort } from "../egress/egress-proxy.ts";
import { joinSockets } from "../egress/join-sockets.ts";
import { closeServer, listen } from "../egress/listen.ts";
import { proxyEnvironment } from "../egress/relay-inside.ts";

/** Network access of the sandbox: proxies on loopback ports, because macOS has no network namespaces. */
export interface SeatbeltNetwork {
  readonly ports: readonly number[];
  /** The policy's environment plus the addresses of the proxies. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function openSeatbeltNetwork(
  policy: SandboxPolicy,
  onDenied: (denial: Denial) => void,
): Promise<SeatbeltNetwork> {
  // Every process of the machine can reach the ports, so the proxy requires a token. The gateway has its own.
  const token = randomBytes(24).toString("hex");
  const { network: rules, privateHosts } = policy;
  const egress = rules.length === 0 ? null : await openEgressPort({ rules, privateHosts, token, onDenied });
  const gateway = policy.gateway === null ? null : await openGateway(policy.gateway);
  const network = [egress, gateway].filter((proxy) => proxy !== null);
  const env = {
    ...policy.env,
    ...proxyEnvironment(egress !== null, gateway !== null),
    // On Linux the relay sets this.
    ...(egress !== null && { NODE_USE_ENV_PROXY: "1" }),
  };
  // By name, because the sandbox's rules only know loopback as `localhost`.
  const replacements = [
    ["127.0.0.1:3128", egress && `nightshift:${token}@localhost:${egress.port}`],
    ["127.0.0.1:3129", gateway && `localhost:${gateway.port}`],
  ] as const;
  return {
    ports: network.map(({ port }) => port),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, replaceUrls(value, replacements)])),
    close: async () => void (await Promise.all(network.map((proxy) => proxy.close()))),
  };
}

function replaceUrls(value: string, replacements: readonly (readonly [string, string | null])[]): string {
  return replacements.reduce((text, [from, to]) => (to === null ? text : text.replaceAll(from, to)), value);
}

/** A model may take long until its first byte. */
const GATEWAY_IDLE_MS = 60 * 60_000;

/** Forwards every connection to the gateway's socket. */
async function openGateway(socketPath: string) {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (inside) => {
    const outside = connect({ path: socketPath, allowHalfOpen: true });
    for (const socket of [inside, outside]) {
      open.add(socket);
      socket.once("close", () => open.delete(socket));
    }
    joinSockets(inside, outside, GATEWAY_IDLE_MS);
  });
  await listen(server, { host: "127.0.0.1", port: 0 });
  // A TCP server always has this kind of address.
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server, open) };
}
