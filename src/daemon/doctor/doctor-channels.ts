import { fileURLToPath } from "node:url";
import { call, callOk } from "../../adapters/notifiers/shared/call.ts";
import { connect, readPage } from "../../adapters/notifiers/confluence/confluence.ts";
import { ntfyProblem } from "../../adapters/notifiers/ntfy/ntfy.ts";
import { readSecret, type Environment } from "../../adapters/notifiers/shared/read-secret.ts";
import { findFailedDeliveries } from "../../adapters/stores/sqlite/inspect.ts";
import { homePaths } from "../../config/files/paths.ts";
import { createProjectFiles } from "../../config/files/project-files.ts";
import { resolveNotify } from "../../config/resolve/resolve-night.ts";
import type { UserConfig } from "../../config/files/user-config.ts";
import { DeliveryError } from "../../core/notices/notice-delivery.ts";
import type { NotifySettings } from "../../core/task/settings.ts";
import { fine, type Finding } from "./doctor-finding.ts";
import type { RegisteredProject } from "./doctor-home.ts";

export interface CheckChannelsParams {
  readonly env: Environment;
  readonly home: string;
  readonly config: UserConfig | null;
  readonly projects: readonly RegisteredProject[];
  readonly timeoutMs?: number;
}

const PATIENCE_MS = 5_000;
const NAMES = ["ntfy", "webhook", "confluence", "heartbeat"] as const;
type Name = (typeof NAMES)[number];

/** One channel as it is set up, and who uses it. */
interface Channel {
  readonly name: Name;
  readonly notify: NotifySettings;
  readonly projects: readonly string[];
}

/** Whether people would hear of tonight: of every registered project, since a night works through all of them. */
export async function checkChannels(params: CheckChannelsParams): Promise<readonly Finding[]> {
  const channels = await listChannels(params);
  return Promise.all(channels.map((channel) => checkChannel(channel, params)));
}

async function checkChannel({ name, notify, projects }: Channel, params: CheckChannelsParams): Promise<Finding> {
  const told = projects.length > 0 ? `${name} (${projects.join(", ")})` : name;
  const failures = projects.flatMap((project) => lastFailures(params.home, project, name));
  try {
    const detail = await CHECKS[name](notify, { timeoutMs: PATIENCE_MS, ...params });
    if (failures.length === 0) return fine(told, detail);
    return { name: told, ok: "warn", detail: failures.join("\n"), fix: "nightshift show tells what was not told" };
  } catch (error) {
    const detail = [error instanceof Error ? error.message : String(error), ...failures].join("\n");
    return { name: told, ok: "warn", detail, fix: error instanceof DeliveryError ? null : `correct notify.${name}` };
  }
}

type Check = (
  notify: NotifySettings,
  how: { readonly env: Environment; readonly timeoutMs: number },
) => Promise<string>;

/** What is fine about each; each throws what is not. */
const CHECKS: Readonly<Record<Name, Check>> = {
  async ntfy({ ntfy }, { env, timeoutMs }) {
    if (ntfy === null) return "not used";
    const problem = ntfyProblem(ntfy);
    if (problem !== null) throw new Error(problem);
    readSecret(env, ntfy.tokenEnv, "notify.ntfy.token_env");
    const url = new URL("/v1/health", ntfy.url);
    const { text } = await callOk({ method: "GET", url, timeoutMs });
    if (!/"healthy"\s*:\s*true/.test(text))
      throw new DeliveryError(`${url.host} is no ntfy server, or not a healthy one`);
    return `${url.host} is healthy`;
  },
  async webhook({ webhook }, { env, timeoutMs }) {
    if (webhook === null) return "not used";
    readSecret(env, webhook.secretEnv, "notify.webhook.secret_env");
    const url = new URL(webhook.url);
    // Made for POST: what it says to this is of no interest, as long as it says something.
    const { status } = await call({ method: "HEAD", url, timeoutMs });
    if (status >= 500) throw new DeliveryError(`HTTP ${status} from ${url.host}`);
    return `${url.host} answers${webhook.secretEnv === null ? "; messages are not signed (notify.webhook.secret_env)" : ""}`;
  },
  async confluence({ confluence }, { env, timeoutMs }) {
    if (confluence === null) return "not used";
    const { title } = await readPage({ settings: confluence }, connect({ settings: confluence, env, timeoutMs }));
    return `page "${title}" can be read`;
  },
  // To call it would be a sign of life of a daemon that may be dead.
  heartbeat: async ({ heartbeat }) =>
    `${heartbeat === null ? "nobody" : new URL(heartbeat.url).host} is told every 5 minutes`,
};

/** The same channel of several projects is looked at once. */
async function listChannels({ home, config, projects }: CheckChannelsParams): Promise<readonly Channel[]> {
  const files = createProjectFiles({
    configDir: home,
    builtinDir: fileURLToPath(new URL("../../builtin/", import.meta.url)),
  });
  const found = new Map<string, Channel>();
  const note = (notify: NotifySettings, project: string | null): void => {
    for (const name of NAMES) {
      if (notify[name] === null) continue;
      const key = JSON.stringify([name, notify[name]]);
      const users = found.get(key)?.projects ?? [];
      found.set(key, { name, notify, projects: project === null ? users : [...users, project] });
    }
  };
  if (config !== null) note(resolveNotify(config.notify), null);
  for (const project of projects) {
    // Files that are broken have a finding of their own.
    const settings = await files.settings(project).catch(() => null);
    if (settings !== null) note(settings.notify, project.name);
  }
  return [...found.values()];
}

/** The failed deliveries since the channel last worked, as one sentence. */
function lastFailures(home: string, project: string, channel: string): readonly string[] {
  const failed = findFailedDeliveries(homePaths(home).db, project, channel);
  if (failed === null) return [];
  const since = new Date(failed.since).toISOString().slice(0, 16).replace("T", " ");
  const times = failed.tries === 1 ? "once" : `${failed.tries} times`;
  return [`${channel} could not be told ${times} since ${since} UTC (${project}): ${failed.lastError}`];
}
