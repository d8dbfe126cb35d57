import { setTimeout as sleep } from "node:timers/promises";
import { ForgeError, UserError } from "../../core/text/errors.ts";
import { checkProjectPath, findProjectPath, forgeAddress, isForgeRemote } from "../../core/forge/forge-address.ts";
import type { ForgeAddress, ForgeSite } from "../../core/forge/forge-address.ts";
import { createRedactor } from "../../policy/secrets/redact.ts";
import type { ForgeSettings } from "../../core/settings/settings.ts";
import type { Forge } from "../../ports/forge.ts";
import type { ForgeDefinition } from "./definition.ts";
import type { ForgeMessageContext } from "./shared/answers.ts";
import { createExchange } from "./shared/exchange.ts";
import type { Fetch } from "./shared/exchange.ts";
import { issueForgeCredentials } from "./shared/forge-credentials.ts";
import type { ForgeVerbs } from "./shared/verbs.ts";

export interface ForgeOptions {
  readonly settings: ForgeSettings;
  /** The project's git remote: it names the project at the forge where `settings.project` does not. */
  readonly remote: string;
  readonly token: string | null;
  readonly fetch?: Fetch;
  /** How waits are waited; a test counts them instead. */
  readonly pause?: (ms: number) => Promise<void>;
}

/** Rejects nothing later that it can tell now: a UserError where settings and remote name no project at the forge. */
export function createForge(definition: ForgeDefinition, options: ForgeOptions): Forge {
  const { settings, remote } = options;
  const { name, neededRights, site } = definition;
  const address = findAddress(settings, site);
  const project = findProject(settings, remote, { site, address });
  const place = `${address.host}${address.prefix}/${project}`;
  const secret = options.token?.trim() ?? "";
  const redactor = createRedactor(secret === "" ? [] : [{ name: "forge token", value: secret }]);
  const { tokenEnv } = settings;
  const tokenFrom = tokenEnv === null ? "the variable that `forge.token_env` names" : `$${tokenEnv}`;
  const voice: ForgeMessageContext = { host: address.host, place, name, tokenFrom, neededRights, redactor };
  const token = checkToken(voice, secret, tokenEnv);
  const pause = options.pause ?? ((ms: number) => sleep(ms));
  const exchange = createExchange({ host: address.host, fetch: options.fetch ?? globalThis.fetch, pause });
  const verbs =
    token instanceof ForgeError
      ? refuseAll(token)
      : definition.create({
          api: address.api,
          token,
          voice,
          exchange,
          project,
          people: settings,
          pause,
          options: settings.options,
        });
  return {
    place,
    credentialsFor: (to) =>
      typeof token === "string" && isForgeRemote(to, address)
        ? { username: definition.gitUser, password: token }
        : null,
    ...verbs,
    issueCredentials() {
      if (token instanceof ForgeError) throw new ForgeError(token.trouble, token.message, { hint: token.hint });
      return issueForgeCredentials({ definition, address, project, token });
    },
    check: () => told(verbs.check),
  };
}

function findAddress({ kind, url }: ForgeSettings, site: ForgeSite): ForgeAddress {
  const address = forgeAddress(site, url);
  if (address !== null) return address;
  throw new UserError(
    "invalid",
    url === null ? `There is no public ${kind}.` : `"${url}" is not the address of a forge.`,
    "Set `forge.url` to one such as https://gitlab.example.com.",
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
    throw new UserError("invalid", `"${project}" is not the path of a project at ${address.host}.`, site.pathHint);
  }
  const path = findProjectPath(remote, site, address);
  if (path !== null) return path;
  throw new UserError(
    "invalid",
    `The project's remote does not say which project it is at ${address.host}.`,
    "Set `forge.project` to its path there, such as team/shop.",
  );
}

/** The token, or why it is none. */
function checkToken(voice: ForgeMessageContext, secret: string, tokenEnv: string | null): string | ForgeError {
  const { place, tokenFrom, neededRights } = voice;
  if (secret === "") {
    const why = tokenEnv === null ? "`forge.token_env` names no variable" : `${tokenFrom} is not set`;
    return new ForgeError("credentials", `There is no token for ${place}: ${why}.`, {
      hint: `Make one with ${neededRights} and set ${tokenFrom} where the daemon starts.`,
    });
  }
  if (/^[\u0021-\u007e]{1,1000}$/.test(secret)) return secret;
  return new ForgeError("credentials", `What ${tokenFrom} holds is no token: it has spaces or line ends in it.`, {
    hint: `Make a token with ${neededRights} and put it there, and nothing else.`,
  });
}

function refuseAll(error: ForgeError): ForgeVerbs {
  const refuse = async (): Promise<never> => {
    throw new ForgeError(error.trouble, error.message, { hint: error.hint });
  };
  return { publish: refuse, find: refuse, listOpen: refuse, read: refuse, look: refuse, check: refuse };
}

/** What keeps the check itself from working is what it looks for. */
async function told(check: ForgeVerbs["check"]): Promise<readonly string[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    return [error.hint === null ? error.message : `${error.message} ${error.hint}`];
  }
}
