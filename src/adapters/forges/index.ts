import { setTimeout as sleep } from "node:timers/promises";
import { ForgeError, UserError } from "../../core/errors.ts";
import { checkProjectPath, findProjectPath, forgeAddress, isForgeRemote } from "../../core/forge-place.ts";
import type { ForgeAddress } from "../../core/forge-place.ts";
import { createRedactor } from "../../core/redact.ts";
import type { ForgeSettings } from "../../core/settings.ts";
import type { Forge } from "../../ports/forge.ts";
import type { Voice } from "./answers.ts";
import { createExchange } from "./exchange.ts";
import type { Fetch } from "./exchange.ts";
import { createGithub } from "./github.ts";
import { createGitlab } from "./gitlab.ts";
import type { ForgeVerbs } from "./verbs.ts";

export interface ForgeOptions {
  readonly settings: ForgeSettings;
  /** The project's git remote: it names the project at the forge where `settings.project` does not. */
  readonly remote: string;
  readonly token: string | null;
  readonly fetch?: Fetch;
  /** How waits are waited; a test counts them instead. */
  readonly pause?: (ms: number) => Promise<void>;
}

const KINDS = {
  github: {
    name: "GitHub",
    defaultToken: "GITHUB_TOKEN",
    // Any name does beside a token; this one is what GitHub's own documents use.
    gitUser: "x-access-token",
    neededRights: 'the scope "repo", or "Contents" and "Pull requests" with read and write',
    create: createGithub,
  },
  gitlab: {
    name: "GitLab",
    defaultToken: "GITLAB_TOKEN",
    gitUser: "oauth2",
    neededRights: 'the scope "api" and the role Developer',
    create: createGitlab,
  },
} as const;

/** Rejects nothing later that it can tell now: a UserError where settings and remote name no project at the forge. */
export function createForge(options: ForgeOptions): Forge {
  const { settings, remote } = options;
  const { kind } = settings;
  const address = findAddress(settings);
  const project = findProject(settings, remote, address);
  const place = `${address.host}${address.prefix}/${project}`;
  const { name, defaultToken, gitUser, neededRights, create } = KINDS[kind];
  const tokenFrom = `$${settings.tokenEnv ?? defaultToken}`;
  const token = options.token?.trim() || null;
  const redactor = createRedactor(token === null ? [] : [{ name: "forge token", value: token }]);
  const voice: Voice = { host: address.host, place, name, tokenFrom, neededRights, redactor };
  const problem = tokenProblem(voice, token);
  const usable = problem === null ? token : null;
  const pause = options.pause ?? ((ms: number) => sleep(ms));
  const exchange = createExchange({ host: address.host, fetch: options.fetch ?? globalThis.fetch, pause });
  const verbs =
    usable === null
      ? refuseAll(problem ?? explainMissing(voice))
      : create({ api: address.api, token: usable, voice, exchange, project, people: settings, pause });
  return {
    kind,
    place,
    credentialsFor: (to) =>
      usable !== null && isForgeRemote(to, address) ? { username: gitUser, password: usable } : null,
    ...verbs,
    check: () => told(verbs.check),
  };
}

function findAddress({ kind, url }: ForgeSettings): ForgeAddress {
  const address = forgeAddress(kind, url);
  if (address !== null) return address;
  throw new UserError(
    "invalid",
    `"${url}" is not the address of a forge.`,
    "Set `forge.url` to one such as https://gitlab.example.com.",
  );
}

function findProject({ kind, project }: ForgeSettings, remote: string, address: ForgeAddress): string {
  if (project !== null) {
    const path = checkProjectPath(project, kind);
    if (path !== null) return path;
    throw new UserError(
      "invalid",
      `"${project}" is not the path of a project at ${address.host}.`,
      kind === "github" ? "Write it as owner/name." : "Write it as group/name, subgroups between them.",
    );
  }
  const path = findProjectPath(remote, kind, address);
  if (path !== null) return path;
  throw new UserError(
    "invalid",
    `The project's remote does not say which project it is at ${address.host}.`,
    "Set `forge.project` to its path there, such as team/shop.",
  );
}

function tokenProblem(voice: Voice, token: string | null): ForgeError | null {
  if (token === null) return explainMissing(voice);
  if (/^[\u0021-\u007e]{1,1000}$/.test(token)) return null;
  return new ForgeError(
    "credentials",
    `What ${voice.tokenFrom} holds is no token: it has spaces, line ends or other signs.`,
    {
      hint: `Make a token with ${voice.neededRights} and put it there, and nothing else.`,
    },
  );
}

function explainMissing({ tokenFrom, place, neededRights }: Voice): ForgeError {
  return new ForgeError("credentials", `There is no token for ${place}: ${tokenFrom} is not set.`, {
    hint: `Make one with ${neededRights} and set ${tokenFrom} where the daemon starts.`,
  });
}

function refuseAll(error: ForgeError): ForgeVerbs {
  const refuse = async (): Promise<never> => {
    throw new ForgeError(error.trouble, error.message, { hint: error.hint });
  };
  return { publish: refuse, listOpen: refuse, read: refuse, check: refuse };
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
