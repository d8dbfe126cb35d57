import { fileURLToPath } from "node:url";
import type { NotifierDefinition } from "../../adapters/notifiers/definition.ts";
import type { Environment } from "../../adapters/notifiers/shared/read-secret.ts";
import { findFailedDeliveries } from "../../adapters/stores/sqlite/inspect.ts";
import { homePaths } from "../../config/files/paths.ts";
import { createProjectFiles } from "../../config/files/project-files.ts";
import type { UserConfig } from "../../config/files/user-config.ts";
import { DeliveryError } from "../../core/notices/notice-delivery.ts";
import type { NotifySettings } from "../../core/settings/settings.ts";
import type { Registry } from "../wire/registry.ts";
import { fine, type Finding } from "./doctor-finding.ts";
import type { RegisteredProject } from "./doctor-home.ts";

export interface CheckChannelsParams {
  readonly env: Environment;
  readonly home: string;
  readonly config: Pick<UserConfig, "notify"> | null;
  readonly projects: readonly RegisteredProject[];
  readonly registry: Registry;
  readonly timeoutMs?: number;
}

const CHANNEL_TIMEOUT_MS = 5_000;

/** A configured channel and the projects that use it. */
interface Channel {
  readonly name: string;
  /** Returns a description of the working channel. Throws if there is a problem. */
  readonly check: (how: { readonly env: Environment; readonly timeoutMs: number }) => Promise<string>;
  readonly projects: readonly string[];
}

/** Checks the notification channels of all registered projects. */
export async function checkChannels(params: CheckChannelsParams): Promise<readonly Finding[]> {
  const channels = await listChannels(params);
  return Promise.all(channels.map((channel) => checkChannel(channel, params)));
}

async function checkChannel({ name, check, projects }: Channel, params: CheckChannelsParams): Promise<Finding> {
  const label = projects.length > 0 ? `${name} (${projects.join(", ")})` : name;
  const failures = projects.flatMap((project) => lastFailures(params.home, project, name));
  try {
    const detail = await check({ timeoutMs: CHANNEL_TIMEOUT_MS, ...params });
    if (failures.length === 0) return fine(label, detail);
    return {
      name: label,
      ok: "warn",
      detail: failures.join("\n"),
      fix: "see the missed messages with nightshift show",
    };
  } catch (error) {
    const detail = [error instanceof Error ? error.message : String(error), ...failures].join("\n");
    return { name: label, ok: "warn", detail, fix: error instanceof DeliveryError ? null : `correct notify.${name}` };
  }
}

/** Merges equal channels of several projects, so that each is checked once. */
async function listChannels({ home, config, projects, registry }: CheckChannelsParams): Promise<readonly Channel[]> {
  const files = createProjectFiles({
    configDir: home,
    builtinDir: fileURLToPath(new URL("../../builtin/", import.meta.url)),
    format: registry.format,
  });
  const found = new Map<string, Channel>();
  const addChannels = (notify: NotifySettings, project: string | null): void => {
    for (const { name, settings, check } of channelsIn(notify, registry.notifiers)) {
      const key = JSON.stringify([name, settings]);
      const users = found.get(key)?.projects ?? [];
      found.set(key, { name, check, projects: project === null ? users : [...users, project] });
    }
  };
  if (config !== null) addChannels(config.notify, null);
  for (const project of projects) {
    // Invalid files have their own finding.
    const settings = await files.settings(project).catch(() => null);
    if (settings !== null) addChannels(settings.notify, project.name);
  }
  return [...found.values()];
}

function channelsIn(
  { channels, heartbeat }: NotifySettings,
  notifiers: readonly NotifierDefinition[],
): readonly (Omit<Channel, "projects"> & { readonly settings: unknown })[] {
  const configured = notifiers.flatMap((notifier) => {
    const settings = channels[notifier.kind];
    if (settings === undefined) return [];
    const check: Channel["check"] = ({ env, timeoutMs }) => notifier.check({ settings, env, timeoutMs });
    return [{ name: notifier.kind, settings, check }];
  });
  if (heartbeat === null) return configured;
  // Do not call the URL: that would be a heartbeat of a daemon that may be dead.
  const check = async (): Promise<string> => `${new URL(heartbeat.url).host} gets a heartbeat every 5 minutes`;
  return [...configured, { name: "heartbeat", settings: heartbeat, check }];
}

/** Describes the failed deliveries since the last successful one. */
function lastFailures(home: string, project: string, channel: string): readonly string[] {
  const failed = findFailedDeliveries(homePaths(home).db, project, channel);
  if (failed === null) return [];
  const since = new Date(failed.since).toISOString().slice(0, 16).replace("T", " ");
  const times = failed.tries === 1 ? "once" : `${failed.tries} times`;
  return [`delivery to ${channel} failed ${times} since ${since} UTC (${project}): ${failed.lastError}`];
}
