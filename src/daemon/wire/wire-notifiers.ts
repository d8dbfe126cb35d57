import { callOk, pathSecrets } from "../../adapters/notifiers/shared/call.ts";
import { createConfluenceNotifier } from "../../adapters/notifiers/confluence/confluence.ts";
import { createNtfyNotifier } from "../../adapters/notifiers/ntfy/ntfy.ts";
import { createRunLog } from "../../adapters/notifiers/run-log/run-log.ts";
import { createTerminalNotifier } from "../../adapters/notifiers/terminal/terminal.ts";
import { createWebhookNotifier } from "../../adapters/notifiers/webhook/webhook.ts";
import { placeKey } from "../../config/files/last-good.ts";
import { RUN_LOG, TERMINAL } from "../../core/notices/notice.ts";
import type { Settings } from "../../core/task/settings.ts";
import type { Notifier } from "../../ports/notifier.ts";
import type { ProjectFiles } from "../../ports/projects.ts";
import type { NoticeKind, Store } from "../../ports/store.ts";

type Files = Pick<ProjectFiles, "settings" | "lastGood">;
type ChannelSettings = Pick<Settings, "notify" | "timeZone">;
type Learned = ChannelSettings & { readonly place: string };

export interface ChannelsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Pick<Store, "getProject" | "listProjects">;
  /** Where notices for the terminal go. */
  readonly write: (line: string) => void;
  readonly runLog: string;
  /** Of config.yaml, for as long as there is no project. */
  readonly heartbeat: string | null;
  /** How long a channel may take to answer; for tests. */
  readonly timeoutMs?: number;
}

export interface Channels {
  channelsFor(project: string, kind: NoticeKind): readonly string[];
  notifierFor(project: string, channel: string): Promise<Notifier | null>;
  /** Of this project, or of all that are registered now; each once. */
  heartbeats(project: string | null): Promise<readonly string[]>;
  /** The same files, whose every reading teaches which channels there are: the last good ones stay when a file breaks. */
  learnFrom<T extends Files>(projects: T): T;
}

export function createChannels(options: ChannelsOptions): Channels {
  const known = new Map<string, Learned>();
  const always: Readonly<Record<string, Notifier>> = {
    [TERMINAL]: createTerminalNotifier(options.write),
    [RUN_LOG]: createRunLog(options.runLog),
  };
  let files: Files | null = null;

  /** Null where nobody registered the project (any more). */
  async function settingsOf(name: string): Promise<ChannelSettings | null> {
    const project = await options.store.projects.getProject(name);
    return project === null || files === null ? null : await files.lastGood(project);
  }

  function learning(read: ProjectFiles["settings"]): ProjectFiles["settings"] {
    return async (project) => {
      const place = placeKey(project);
      // Of the one that had this name before; should its own files be broken, it has no channels of somebody else.
      if (known.get(project.name)?.place !== place) known.delete(project.name);
      const settings = await read(project);
      known.set(project.name, { notify: settings.notify, timeZone: settings.timeZone, place });
      return settings;
    };
  }

  return {
    channelsFor: (project, kind) => [...Object.keys(always), ...listChannels(known.get(project)?.notify, kind)],
    async notifierFor(project, channel) {
      const own = always[channel];
      if (own !== undefined) return own;
      const settings = await settingsOf(project);
      return settings === null ? null : createNotifier(channel, settings, options);
    },
    async heartbeats(project) {
      const registered = (await options.store.projects.listProjects()).map(({ name }) => name);
      for (const name of known.keys()) if (!registered.includes(name)) known.delete(name);
      if (known.size === 0) return options.heartbeat === null ? [] : [options.heartbeat];
      const asked = project === null ? [...known.values()] : [known.get(project)];
      return [...new Set(asked.flatMap((each) => each?.notify.heartbeat?.url ?? []))];
    },
    learnFrom(projects) {
      const taught = { ...projects, settings: learning(projects.settings), lastGood: learning(projects.lastGood) };
      files = taught;
      return taught;
    },
  };
}

/** A sign of life. Throws DeliveryError. */
export async function ping(address: string): Promise<void> {
  const url = new URL(address);
  await callOk({ method: "GET", url, secrets: pathSecrets(url) });
}

function listChannels(notify: Settings["notify"] | undefined, kind: NoticeKind): readonly string[] {
  if (notify === undefined) return [];
  const { ntfy, webhook, confluence } = notify;
  return [
    ...(ntfy?.on.includes(kind) === true ? ["ntfy"] : []),
    ...(webhook?.on.includes(kind) === true ? ["webhook"] : []),
    ...(confluence === null ? [] : ["confluence"]),
  ];
}

function createNotifier(
  channel: string,
  { notify: { ntfy, webhook, confluence }, timeZone }: ChannelSettings,
  { env, timeoutMs }: ChannelsOptions,
): Notifier | null {
  const how = timeoutMs === undefined ? { env } : { env, timeoutMs };
  switch (channel) {
    case "ntfy":
      return ntfy === null ? null : createNtfyNotifier({ settings: ntfy, ...how });
    case "webhook":
      return webhook === null ? null : createWebhookNotifier({ settings: webhook, ...how });
    case "confluence":
      return confluence === null ? null : createConfluenceNotifier({ settings: confluence, timeZone, ...how });
    default:
      return null;
  }
}
