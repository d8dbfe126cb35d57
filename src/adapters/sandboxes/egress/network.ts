import { chmodSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { SandboxContext, SandboxPolicy } from "../../../ports/sandbox.ts";
import type { Identity } from "../identity.ts";
import type { Mount } from "../bubblewrap/mount-plan.ts";
import { requireReadable } from "../grants/require-readable.ts";

/** The network access of a sandbox, and what the command needs inside to use it. */
export interface Network {
  readonly mounts: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
  readonly isRelayed: boolean;
  /** Starts the command through the relay if there is one. The relay writes to `status` right before it starts the command. */
  wrap(argv: readonly string[], status: number): readonly string[];
  close(): Promise<void>;
}

/** The file contains no types. With a .js name Node does not strip types, which would take twice as long as everything else. */
const RELAY = "/run/nightshift/relay.js";

/** Programs connect to it directly, without the relay. */
const MCP_SOCKET = "/run/nightshift/mcp.sock";

const NO_NETWORK: Network = {
  mounts: [],
  env: {},
  isRelayed: false,
  wrap: (argv) => argv,
  close: () => Promise.resolve(),
};

export async function openNetwork(
  policy: SandboxPolicy,
  context: SandboxContext,
  identity: Identity | null,
): Promise<Network> {
  const hasProxy = policy.network.length > 0 || policy.answersNo;
  const refusesModel = policy.gateway === null && policy.answersNoModel;
  const gateways = gatewayMounts(policy);
  const sockets =
    policy.mcpBroker === undefined ? [] : [{ kind: "read", path: policy.mcpBroker, at: MCP_SOCKET } as const];
  if (!hasProxy && gateways.length === 0 && !refusesModel) return { ...NO_NETWORK, mounts: sockets };
  // The real path, because the relay starts before PATH is set up.
  const node = realpathSync(process.execPath);
  requireReadable([node], identity);
  const { proxyEnvironment, relayFile } = await import("./relay-inside.ts");
  const relay = copyForAll(relayFile(), context);
  const proxy = hasProxy ? await openProxy(policy, context) : null;
  return {
    mounts: [
      { kind: "read", path: node },
      { kind: "read", path: relay, at: RELAY },
      ...(proxy === null ? [] : [{ kind: "read", path: proxy.socket, at: "/run/nightshift/egress.sock" } as const]),
      ...gateways,
      ...sockets,
    ],
    env: proxyEnvironment(proxy !== null, policy.gateway !== null),
    isRelayed: true,
    wrap: (argv, status) => [node, RELAY, String(status), ...(refusesModel ? ["no-gateway"] : []), "--", ...argv],
    close: async () => proxy?.close(),
  };
}

function gatewayMounts({ gateway, forgeGateway }: SandboxPolicy): readonly Mount[] {
  return [
    ...(gateway === null ? [] : [{ kind: "read", path: gateway, at: "/run/nightshift/gateway.sock" } as const]),
    ...(forgeGateway === undefined
      ? []
      : [{ kind: "read", path: forgeGateway, at: "/run/nightshift/forge.sock" } as const]),
  ];
}

/** The run's user may not be able to read the installation, so the file is copied. */
function copyForAll(file: string, { dir }: SandboxContext): string {
  const copy = join(dir, basename(RELAY));
  writeFileSync(copy, readFileSync(file));
  chmodSync(copy, 0o644);
  return copy;
}

async function openProxy({ network, privateHosts }: SandboxPolicy, { socket, onDenied }: SandboxContext) {
  // Loaded on demand, because most runs have no network.
  const { openEgressProxy } = await import("./egress-proxy.ts");
  return { socket, ...(await openEgressProxy({ socket, rules: network, privateHosts, onDenied })) };
}
