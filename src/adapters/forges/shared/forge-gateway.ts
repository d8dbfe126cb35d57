import type { ForgeAddress } from "../../../core/forge/forge-address.ts";
import type { IssuedGateway, IssueGatewayParams } from "../../../ports/forge.ts";
import type { ForgeDefinition } from "../definition.ts";
import { gitConfig } from "./forge-credentials.ts";

interface GatewayOwner {
  readonly definition: Pick<ForgeDefinition, "cli" | "gitUser">;
  readonly address: ForgeAddress;
  readonly project: string;
  readonly token: string;
}

/** Addresses of the forge gateway inside the sandbox. */
const URL_INSIDE = "http://127.0.0.1:3130";
const SOCKET_INSIDE = "/run/nightshift/forge.sock";
const KEY = "NIGHTSHIFT_FORGE_TOKEN";

/** Points git and the forge's CLI to the gateway. The token is only for the gateway itself. */
export function issueForgeGateway(
  { definition, address, project, token }: GatewayOwner,
  { branch, defaultBranch, filesDir }: IssueGatewayParams,
): IssuedGateway {
  const { cli, gitUser } = definition;
  const inside = { address, project, url: URL_INSIDE, socket: SOCKET_INSIDE, filesDir };
  const { env, files } = cli.gateway?.configure(inside) ?? { env: {}, files: {} };
  const { web, api } = address;
  const repository = `${URL_INSIDE}/${project}.git`;
  return {
    plan: { api: cli.gateway?.api ?? null, web, apiUrl: api, project, gitUser, keyName: KEY, branch, defaultBranch },
    keys: { [KEY]: token },
    files,
    env: {
      ...env,
      GIT_TERMINAL_PROMPT: "0",
      ...gitConfig([
        ["remote.origin.url", repository],
        ["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
        [`url.${URL_INSIDE}/${project}.insteadOf`, `${web}/${project}`],
        ["push.autoSetupRemote", "true"],
        ["credential.helper", ""],
      ]),
    },
  };
}
