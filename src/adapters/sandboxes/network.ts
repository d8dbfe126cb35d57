import { realpathSync } from "node:fs";
import type { SandboxPlace, SandboxPolicy } from "../../ports/sandbox.ts";
import type { Mount } from "./mount-plan.ts";

/** The ways out of a sandbox, and what the command needs inside to take them. */
export interface Network {
  readonly mounts: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
  /** The command, started by the relay where there is a way out. */
  wrap(argv: readonly string[]): readonly string[];
  close(): Promise<void>;
}

/** It has no types in it, so under this name Node need not look for any, which takes it twice as long as the rest. */
const RELAY = "/run/nightshift/relay.js";

const NO_WAY_OUT: Network = { mounts: [], env: {}, wrap: (argv) => argv, close: () => Promise.resolve() };

export async function openNetwork(policy: SandboxPolicy, place: SandboxPlace): Promise<Network> {
  const hasProxy = policy.network.length > 0 || policy.answersNo;
  if (!hasProxy && policy.gateway === null) return NO_WAY_OUT;
  const { proxyEnvironment, relayFile } = await import("./relay-inside.ts");
  const proxy = hasProxy ? await openProxy(policy.network, place) : null;
  const relay = relayFile();
  // Where it really is: the relay starts before there is a PATH to look for links in.
  const node = realpathSync(process.execPath);
  return {
    mounts: [
      { kind: "read", path: node },
      { kind: "read", path: relay, at: RELAY },
      ...(proxy === null ? [] : [{ kind: "read", path: proxy.socket, at: "/run/nightshift/egress.sock" } as const]),
      ...(policy.gateway === null
        ? []
        : [{ kind: "read", path: policy.gateway, at: "/run/nightshift/gateway.sock" } as const]),
    ],
    env: proxyEnvironment(proxy !== null, policy.gateway !== null),
    wrap: (argv) => [node, RELAY, "--", ...argv],
    close: async () => proxy?.close(),
  };
}

async function openProxy(rules: readonly string[], { socket, onDenied }: SandboxPlace) {
  // Loaded only by those who need it: most supervisors have no network to look after.
  const { openEgressProxy } = await import("./egress-proxy.ts");
  return { socket, ...(await openEgressProxy({ socket, rules, onDenied })) };
}
