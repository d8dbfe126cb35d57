import type { IncomingMessage, ServerResponse } from "node:http";
import type { ForgeGatewayPlan } from "../../../ports/gateway.ts";
import type { Denial } from "../../../ports/sandbox.ts";
import { openServer, type GatewayServer } from "../serve.ts";
import { openUpstream } from "../upstream/upstream.ts";
import { sendProblem } from "./forward.ts";
import { createTokenMask } from "./mask-token.ts";
import { openForgeApi } from "./serve-api.ts";
import { readGitRequest, serveGit } from "./serve-git.ts";

export interface ForgeGatewayParams {
  readonly plan: ForgeGatewayPlan;
  readonly token: string;
  /** Path of a Unix socket that the sandbox mounts. */
  readonly socket: string;
  readonly onDenied: (denial: Denial) => void;
}

/** Opens the gateway of one run. Only the processes in the run's sandbox can reach its socket. */
export async function openForgeGateway(params: ForgeGatewayParams): Promise<GatewayServer> {
  const { plan, token, onDenied } = params;
  const web = openUpstream(plan.web);
  const login = Buffer.from(`${plan.gitUser}:${token}`).toString("base64");
  const mask = createTokenMask([...new Set([token, encodeURIComponent(token), login])]);
  const deny = (denial: Pick<Denial, "target" | "sentence">): void => onDenied({ kind: "network", ...denial });
  const api = openForgeApi({ plan, token, mask, deny });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = request;
    const git = readGitRequest(method, url);
    if (git !== null) return serveGit({ plan, token, web, mask, deny }, git, request, response);
    return api.serve(request, response);
  }

  const server = await openServer(params.socket, (request, response) =>
    // The error may contain the token, so the client gets no details.
    handle(request, response).catch(() => sendProblem(response, 502, "The forge gateway failed.")),
  );
  return {
    ...server,
    async close() {
      // First, because pending requests wait for it.
      api.close();
      await server.close();
      web.close();
    },
  };
}
