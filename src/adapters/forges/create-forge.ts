import { setTimeout as sleep } from "node:timers/promises";
import { ForgeError, UserError } from "../../core/text/errors.ts";
import {
  checkProjectPath,
  findProjectPath,
  findRequestNumber,
  forgeAddress,
  isForgeRemote,
} from "../../core/forge/forge-address.ts";
import type { ForgeAddress, ForgeSite } from "../../core/forge/forge-address.ts";
import { createRedactor } from "../../policy/secrets/redact.ts";
import type { ForgeSettings } from "../../core/settings/settings.ts";
import type { Forge } from "../../ports/forge.ts";
import type { ForgeApi, ForgeDefinition } from "./definition.ts";
import type { ForgeMessageContext } from "./shared/responses.ts";
import { createExchange } from "./shared/exchange.ts";
import type { Fetch } from "./shared/exchange.ts";
import { issueForgeCredentials } from "./shared/forge-credentials.ts";
import type { HostLogin } from "./login/find-login.ts";
import { issueForgeGateway } from "./shared/forge-gateway.ts";

export interface ForgeOptions {
  readonly settings: ForgeSettings;
  /** The project's git remote. Determines the project at the forge if `settings.project` is not set. */
  readonly remote: string;
  readonly token: string | null;
  /** The user's own login. Used if there is no token. */
  readonly login?: HostLogin | null;
  readonly fetch?: Fetch;
  /** Replaced in tests. */
  readonly pause?: (ms: number) => Promise<void>;
}

/** Throws a UserError if neither the settings nor the remote name a project at the forge. */
export function createForge(definition: ForgeDefinition, options: ForgeOptions): Forge {
  const { settings, remote } = options;
  const { name, neededRights, site } = definition;
  const address = findAddress(settings, site);
  const project = findProject(settings, remote, { site, address });
  const repository = `${address.host}${address.prefix}/${project}`;
  const own = options.token?.trim() ?? "";
  const login = own === "" ? (options.login ?? null) : null;
  const secret = login?.token ?? own;
  const redactor = createRedactor(secret === "" ? [] : [{ name: "forge token", value: secret }]);
  const { tokenEnv } = settings;
  const tokenFrom = tokenEnv === null ? "the variable named by `forge.token_env`" : `$${tokenEnv}`;
  const loginFrom = login?.source ?? null;
  const { host } = address;
  const context: ForgeMessageContext = { host, repository, name, tokenFrom, loginFrom, neededRights, redactor };
  const token = checkToken(context, secret, tokenEnv);
  const pause = options.pause ?? ((ms: number) => sleep(ms));
  const exchange = createExchange({ host, fetch: options.fetch ?? globalThis.fetch, pause });
  const forgeApi =
    token instanceof ForgeError
      ? rejectAll(token)
      : definition.create({
          api: address.api,
          token,
          context,
          exchange,
          project,
          people: settings,
          pause,
        });
  return {
    repository: repository,
    credentialsFor: (to) =>
      typeof token === "string" && isForgeRemote(to, address)
        ? { username: login?.username ?? definition.gitUser, password: token }
        : null,
    findNumber: (url) => findRequestNumber(url, { site, address, project }),
    headRef: (number) => site.headRef(number),
    ...forgeApi,
    issueCredentials() {
      if (token instanceof ForgeError) throw new ForgeError(token.trouble, token.message, { hint: token.hint });
      if (loginFrom !== null) throw explainLoginNotIssued(context);
      return issueForgeCredentials({ definition, address, project, token });
    },
    issueGateway(params) {
      if (token instanceof ForgeError) throw new ForgeError(token.trouble, token.message, { hint: token.hint });
      return issueForgeGateway({ definition, address, project, token }, params);
    },
    check: () => reportErrorAsProblem(forgeApi.check),
  };
}

function findAddress({ kind, url }: ForgeSettings, site: ForgeSite): ForgeAddress {
  const address = forgeAddress(site, url);
  if (address !== null) return address;
  throw new UserError(
    "invalid",
    url === null ? `${kind} has no public server.` : `"${url}" is not a valid forge URL.`,
    "Set `forge.url`, for example to https://gitlab.example.com.",
  );
}

function findProject(
  { project }: ForgeSettings,
  remote: string,
  { site, address }: { readonly site: ForgeSite; readonly address: ForgeAddress },
): string {
  if (project !== null) {
    const path = checkProjectPath(project, site);
    if (path !== null) return path;
    throw new UserError("invalid", `"${project}" is not a valid project path at ${address.host}.`, site.pathHint);
  }
  const path = findProjectPath(remote, site, address);
  if (path !== null) return path;
  throw new UserError(
    "invalid",
    `The git remote does not name a project at ${address.host}.`,
    "Set `forge.project` to the path of the project, for example team/shop.",
  );
}

/** Returns the token, or the error that every method reports if there is no usable one. */
function checkToken(context: ForgeMessageContext, secret: string, tokenEnv: string | null): string | ForgeError {
  const { repository, tokenFrom, neededRights } = context;
  if (secret === "") {
    const why = tokenEnv === null ? "`forge.token_env` is not set" : `${tokenFrom} is not set`;
    return new ForgeError("credentials", `There is no token for ${repository}: ${why}.`, {
      hint: `Create one with ${neededRights} and set ${tokenFrom} in the daemon's environment.`,
    });
  }
  if (/^[\u0021-\u007e]{1,1000}$/.test(secret)) return secret;
  return new ForgeError("credentials", `The value of ${tokenFrom} is not a token: it contains spaces or line breaks.`, {
    hint: `Create a token with ${neededRights} and set the variable to it.`,
  });
}

/** A person's own login usually has more rights than a project needs. */
function explainLoginNotIssued({ repository, tokenFrom, loginFrom, neededRights }: ForgeMessageContext): ForgeError {
  const message = `An agent that publishes to ${repository} does not get the token from ${loginFrom}, because that is your own login.`;
  const hint = `Create a token with ${neededRights} and set ${tokenFrom} in the daemon's environment, or set improve.publish: engine.`;
  return new ForgeError("credentials", message, { hint });
}

function rejectAll(error: ForgeError): ForgeApi {
  const reject = async (): Promise<never> => {
    throw new ForgeError(error.trouble, error.message, { hint: error.hint });
  };
  return {
    publish: reject,
    find: reject,
    listOpen: reject,
    read: reject,
    readState: reject,
    readCiFailures: reject,
    hasWriteAccess: reject,
    readIssue: reject,
    merge: reject,
    close: reject,
    postReview: reject,
    check: reject,
  };
}

/** An error that makes the check itself fail is one of the problems it looks for. */
async function reportErrorAsProblem(check: ForgeApi["check"]): Promise<readonly string[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    return [error.hint === null ? error.message : `${error.message} ${error.hint}`];
  }
}
