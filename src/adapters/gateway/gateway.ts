import type { GatewayPlan } from "../../ports/gateway.ts";
import { createHandler } from "./handle.ts";
import { openServer, type GatewayServer } from "./serve.ts";
import { openUpstream } from "./upstream/upstream.ts";

export interface GatewayParams {
  readonly plan: GatewayPlan;
  readonly key: string;
  /** Path of a Unix socket that a sandbox can mount. Null listens on a loopback port. */
  readonly socket: string | null;
  /** Called with the usage of each request, as a line of Nightshift's event format. */
  readonly onUsage: (line: string) => void;
  /** Called with messages for the transcript. */
  readonly onNote: (sentence: string) => void;
  /** Called once when the limit is reached, so that a request was rejected or cut off and the run cannot continue. */
  readonly onExhausted: (sentence: string) => void;
}

export async function openGateway(params: GatewayParams): Promise<GatewayServer> {
  const upstream = openUpstream(params.plan.upstream);
  const server = await openServer(params.socket, createHandler(params, upstream));
  return { ...server, close: () => server.close().finally(() => upstream.close()) };
}
