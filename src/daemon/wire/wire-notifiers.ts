import { callOk, pathSecrets } from "../../adapters/notifiers/shared/call.ts";
import type { NotifierDefinition } from "../../adapters/notifiers/definition.ts";
import { createRunLog } from "../../adapters/notifiers/run-log/run-log.ts";
import { createTerminalNotifier } from "../../adapters/notifiers/terminal/terminal.ts";
import { locationKey } from "../../config/files/last-good.ts";
import type { SettingsListener } from "../../config/files/project-files.ts";
import { isEndOfNight, RUN_LOG, TERMINAL } from "../../core/notices/notice.ts";
import type { OwnSettings } from "../../core/settings/kinds.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { EnginePorts } from "../../engine/ports.ts";
import type { Notifier } from "../../ports/notifier.ts";
import type { ProjectFiles } from "../../ports/projects.ts";
import type { NoticeKind, ProjectStore } from "../../ports/store.ts";

interface Known {
  readonly notify: Settings["notify"];
  /** Of the project that these settings are of: another one may get its name. */
  readonly place: string;
}

export interface ChannelsOptions {
  readonly notifiers: readonly NotifierDefinition[];
  readonly projects: Pick<ProjectFiles, "lastGood">;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: { readonly projects: Pick<ProjectStore, "getProject" | "listProjects"> };
  /** Where notices for the terminal go. */
  readonly write: (line: string) => void;
  readonly runLog: string;
  /** Of config.yaml, for as long as there is no project. */
  readonly heartbeat: string | null;
  /** How long a channel may take to answer; for tests. */
  readonly timeoutMs?: number;
}

export interface Channels {
  readonly channelsFor: EnginePorts["channels"]["namesFor"];
  notifierFor(project: string, channel: string): Promise<Notifier | null>;
  /** Of this project, or of all that are registered now; each once. */
  heartbeats(project: string | null): Promise<readonly string[]>;
  /** The settings of a project, as they were just read. The last good ones stay when a file breaks. */
  readonly update: SettingsListener;
}

export function createChannels(options: ChannelsOptions): Channels {
  const { notifiers, env, store, projects, timeoutMs } = options;
  const known = new Map<string, Known>();
  const always: Readonly<Record<string, Notifier>> = {
    [TERMINAL]: createTerminalNotifier(options.write),
    [RUN_LOG]: createRunLog(options.runLog),
  };
  const nightLogs = [RUN_LOG, ...notifiers.filter(({ isNightLog }) => isNightLog).map(({ kind }) => kind)];

  return {
    channelsFor(project, kind, data) {
      const configured = Object.entries(known.get(project)?.notify.channels ?? {});
      const wanted = configured.filter(([, settings]) => wants(settings, kind)).map(([channel]) => channel);
      return [...Object.keys(always), ...wanted].filter(
        (channel) => !nightLogs.includes(channel) || isEndOfNight(kind, data),
      );
    },
    async notifierFor(name, channel) {
      const own = always[channel];
      if (own !== undefined) return own;
      const project = await store.projects.getProject(name);
      const definition = notifiers.find(({ kind }) => kind === channel);
      if (project === null || definition === undefined) return null;
      const { notify, timeZone } = await projects.lastGood(project);
      const settings = notify.channels[channel];
      if (settings === undefined) return null;
      return definition.create({ settings, timeZone, env, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
    },
    async heartbeats(project) {
      const registered = (await store.projects.listProjects()).map(({ name }) => name);
      for (const name of known.keys()) if (!registered.includes(name)) known.delete(name);
      if (known.size === 0) return options.heartbeat === null ? [] : [options.heartbeat];
      const asked = project === null ? [...known.values()] : [known.get(project)];
      return [...new Set(asked.flatMap((each) => each?.notify.heartbeat?.url ?? []))];
    },
    update(project, settings) {
      const place = locationKey(project);
      if (settings !== null) known.set(project.name, { notify: settings.notify, place });
      // Its name belonged to another project before, whose channels are none of its own.
      else if (known.get(project.name)?.place !== place) known.delete(project.name);
    },
  };
}

/** A sign of life. Throws DeliveryError. */
export async function ping(address: string): Promise<void> {
  const url = new URL(address);
  await callOk({ method: "GET", url, secrets: pathSecrets(url) });
}

/** A channel that names no kinds of notices hears of all. */
function wants({ on }: OwnSettings, kind: NoticeKind): boolean {
  return !Array.isArray(on) || on.includes(kind);
}
