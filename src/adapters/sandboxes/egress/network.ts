import { chmodSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { SandboxPlace, SandboxPolicy } from "../../../ports/sandbox.ts";
import type { Identity } from "../identity.ts";
import type { Mount } from "../bubblewrap/mount-plan.ts";
import { requireReadable } from "../grants/require-readable.ts";

/** The ways out of a sandbox, and what the command needs inside to take them. */
export interface Network {
  readonly mounts: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
  readonly isRelayed: boolean;
  /** The command, started by the relay where somebody answers; the relay tells on `status` when it is about to. */
  wrap(argv: readonly string[], status: number): readonly string[];
  close(): Promise<void>;
}

/** It has no types in it, so under this name Node need not look for any, which takes it twice as long as the rest. */
const RELAY = "/run/nightshift/relay.js";

const NO_WAY_OUT: Network = {
  mounts: [],
  env: {},
  isRelayed: false,
  wrap: (argv) => argv,
  close: () => Promise.resolve(),
};

export async function openNetwork(
  policy: SandboxPolicy,
  place: SandboxPlace,
  identity: Identity | null,
): Promise<Network> {
  const hasProxy = policy.network.length > 0 || policy.answersNo;
  const refusesModel = policy.gateway === null && policy.answersNoModel;
  if (!hasProxy && policy.gateway === null && !refusesModel) return NO_WAY_OUT;
  // Where it really is: the relay starts before there is a PATH to look for links in.
  const node = realpathSync(process.execPath);
  requireReadable([node], identity);
  const { proxyEnvironment, relayFile } = await import("./relay-inside.ts");
  const relay = copyForAll(relayFile(), place);
  const proxy = hasProxy ? await openProxy(policy.network, place) : null;
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
    isRelayed: true,
    wrap: (argv, status) => [node, RELAY, String(status), ...(refusesModel ? ["no-gateway"] : []), "--", ...argv],
    close: async () => proxy?.close(),
  };
}

/** Whoever runs it may be another user, and the installation may be closed to that. */
function copyForAll(file: string, { dir }: SandboxPlace): string {
  const copy = join(dir, basename(RELAY));
  writeFileSync(copy, readFileSync(file));
  chmodSync(copy, 0o644);
  return copy;
}

async function openProxy(rules: readonly string[], { socket, onDenied }: SandboxPlace) {
  // Loaded only by those who need it: most supervisors have no network to look after.
  const { openEgressProxy } = await import("./egress-proxy.ts");
  return { socket, ...(await openEgressProxy({ socket, rules, onDenied })) };
}
