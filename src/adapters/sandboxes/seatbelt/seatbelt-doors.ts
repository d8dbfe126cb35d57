import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import type { Denial, SandboxPolicy } from "../../../ports/sandbox.ts";
import { openEgressPort } from "../egress/egress-proxy.ts";
import { joinSockets } from "../egress/join-sockets.ts";
import { proxyEnvironment } from "../egress/relay-inside.ts";

/** The ways out of the sandbox: ports of loopback, since macOS has no network namespaces to put sockets into. */
export interface Doors {
  readonly ports: readonly number[];
  /** The policy's environment and what the command must know of the doors. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

interface Door {
  readonly port: number;
  close(): Promise<void>;
}

export async function openDoors(policy: SandboxPolicy, onDenied: (denial: Denial) => void): Promise<Doors> {
  // Every process of the machine can reach the ports; the gateway asks for a token of its own.
  const token = randomBytes(24).toString("hex");
  const egress = policy.network.length === 0 ? null : await openEgressPort({ rules: policy.network, token, onDenied });
  const gateway = policy.gateway === null ? null : await openGateway(policy.gateway);
  const doors = [egress, gateway].filter((door) => door !== null);
  const told = {
    ...policy.env,
    ...proxyEnvironment(egress !== null, gateway !== null),
    // Elsewhere the relay says so.
    ...(egress !== null && { NODE_USE_ENV_PROXY: "1" }),
  };
  // By the name: the sandbox's rules know loopback as `localhost`.
  const moves = [
    ["127.0.0.1:3128", egress && `nightshift:${token}@localhost:${egress.port}`],
    ["127.0.0.1:3129", gateway && `localhost:${gateway.port}`],
  ] as const;
  return {
    ports: doors.map(({ port }) => port),
    env: Object.fromEntries(Object.entries(told).map(([name, value]) => [name, move(value, moves)])),
    close: async () => void (await Promise.all(doors.map((door) => door.close()))),
  };
}

function move(value: string, moves: readonly (readonly [string, string | null])[]): string {
  return moves.reduce((text, [from, to]) => (to === null ? text : text.replaceAll(from, to)), value);
}

/** A model may think for long before it says a word. */
const GATEWAY_IDLE_MS = 60 * 60_000;

/** Hands every connection on to the gateway's socket. */
async function openGateway(socketPath: string): Promise<Door> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (inside) => {
    const outside = connect({ path: socketPath, allowHalfOpen: true });
    for (const socket of [inside, outside]) {
      open.add(socket);
      socket.once("close", () => open.delete(socket));
    }
    joinSockets(inside, outside, GATEWAY_IDLE_MS);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    // A server that listens on TCP has an address of this kind.
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of open) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, "close");
    },
  };
}
