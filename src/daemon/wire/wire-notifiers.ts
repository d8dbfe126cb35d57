import { callOk, pathSecrets } from "../../adapters/notifiers/shared/call.ts";
import type { NotifierDefinition } from "../../adapters/notifiers/definition.ts";
import { createRunLog } from "../../adapters/notifiers/run-log/run-log.ts";
import { createTerminalNotifier } from "../../adapters/notifiers/terminal/terminal.ts";
import type { UserConfig } from "../../config/files/user-config.ts";
import { locationKey, type SettingsListener } from "../../config/files/project-files.ts";
import { ALL_PROJECTS, isEndOfNight, RUN_LOG, TERMINAL } from "../../core/notices/notice.ts";
import type { OwnSettings } from "../../core/settings/kinds.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { EnginePorts } from "../../engine/ports.ts";
import type { Notifier } from "../../ports/notifier.ts";
import type { ProjectFiles } from "../../ports/projects.ts";
import type { Notice, NoticeKind, ProjectStore } from "../../ports/store.ts";

interface ProjectChannels {
  readonly notify: Settings["notify"];
  /** Identifies the project, because another one may be registered under its name later. */
  readonly location: string;
}

export interface ChannelsOptions {
  readonly notifiers: readonly NotifierDefinition[];
  readonly projects: Pick<ProjectFiles, "lastGood">;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: { readonly projects: Pick<ProjectStore, "getProject" | "listProjects"> };
  /** Prints notices on the terminal. */
  readonly write: (line: string) => void;
  readonly runLog: string;
  /** Reads config.yaml again, or returns its last valid version. */
  readonly readUser: () => Promise<Pick<UserConfig, "notify" | "timeZone" | "reportAt">>;
  /** `server.public_url`. Messages link to the page there. */
  readonly publicUrl?: string | null;
  /** URL in config.yaml, used while no project is registered. */
  readonly heartbeat: string | null;
  /** For tests. */
  readonly timeoutMs?: number;
}

export interface ConfiguredChannel {
  readonly kind: string;
  /** Null: config.yaml. */
  readonly project: string | null;
  readonly settings: OwnSettings;
}

export interface Channels {
  readonly channelsFor: EnginePorts["channels"]["namesFor"];
  readonly readReport: EnginePorts["channels"]["readReport"];
  notifierFor(project: string, channel: string): Promise<Notifier | null>;
  /** The channels of config.yaml, and those that a project sets differently. */
  listConfigured(): Promise<readonly ConfiguredChannel[]>;
  /** Heartbeat URLs of this project, or of all registered ones, without duplicates. */
  listHeartbeatUrls(project: string | null): Promise<readonly string[]>;
  /** Takes over new settings of a project. Null (invalid files) keeps the last valid ones. */
  readonly update: SettingsListener;
}

export function createChannels(options: ChannelsOptions): Channels {
  const { notifiers, env, store, projects, timeoutMs } = options;
  const known = new Map<string, ProjectChannels>();
  const builtIn: Readonly<Record<string, Notifier>> = {
    [TERMINAL]: createTerminalNotifier(options.write),
    [RUN_LOG]: createRunLog(options.runLog),
  };
  const nightLogs = [RUN_LOG, ...notifiers.filter(({ isNightLog }) => isNightLog).map(({ kind }) => kind)];

  return {
    channelsFor(project, kind, data) {
      const configured = Object.entries(known.get(project)?.notify.channels ?? {});
      const wanted = configured.filter(([, settings]) => wants(settings, kind)).map(([channel]) => channel);
      return [...Object.keys(builtIn), ...wanted].filter(
        (channel) => !nightLogs.includes(channel) || isEndOfNight(kind, data),
      );
    },
    async readReport() {
      const { notify, timeZone, reportAt } = await options.readUser();
      const wanted = Object.entries(notify.channels).filter(([, settings]) => wants(settings, "report"));
      const channels = [...Object.keys(builtIn), ...wanted.map(([channel]) => channel)];
      return { at: reportAt, timeZone, channels: channels.filter((channel) => !nightLogs.includes(channel)) };
    },
    async notifierFor(name, channel) {
      const notifier = builtIn[channel];
      if (notifier !== undefined) return notifier;
      const definition = notifiers.find(({ kind }) => kind === channel);
      const current = await readChannels(name);
      const settings = current?.notify.channels[channel];
      if (definition === undefined || current === null || settings === undefined) return null;
      const { timeZone } = current;
      const opened = definition.create({ settings, timeZone, env, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
      return linkToPage(opened, options.publicUrl ?? null);
    },
    async listConfigured() {
      const user = Object.entries((await options.readUser()).notify.channels);
      const common = new Map(user.map(([kind, settings]) => [kind, JSON.stringify(settings)]));
      const registered = await store.projects.listProjects();
      const own = await Promise.all(
        registered.map(async (project) => {
          // Invalid files are reported elsewhere.
          const settings = await projects.lastGood(project).catch(() => null);
          const differing = Object.entries(settings?.notify.channels ?? {}).filter(
            ([kind, channel]) => common.get(kind) !== JSON.stringify(channel),
          );
          return differing.map(([kind, channel]) => ({ kind, project: project.name, settings: channel }));
        }),
      );
      return [...user.map(([kind, settings]) => ({ kind, project: null, settings })), ...own.flat()];
    },
    async listHeartbeatUrls(project) {
      const registered = (await store.projects.listProjects()).map(({ name }) => name);
      for (const name of known.keys()) if (!registered.includes(name)) known.delete(name);
      if (known.size === 0) return options.heartbeat === null ? [] : [options.heartbeat];
      const selected = project === null ? [...known.values()] : [known.get(project)];
      return [...new Set(selected.flatMap((each) => each?.notify.heartbeat?.url ?? []))];
    },
    update(project, settings) {
      const location = locationKey(project);
      if (settings !== null) known.set(project.name, { notify: settings.notify, location });
      // Another project had this name before; its channels do not belong to this one.
      else if (known.get(project.name)?.location !== location) known.delete(project.name);
    },
  };

  /** Null for a project that is not registered any more. */
  async function readChannels(name: string): Promise<Pick<Settings, "notify" | "timeZone"> | null> {
    if (name === ALL_PROJECTS) return options.readUser();
    const project = await store.projects.getProject(name);
    return project === null ? null : projects.lastGood(project);
  }
}

/** Adds the address of the task, or of the morning report, to what the notifier sends. */
function linkToPage(notifier: Notifier, publicUrl: string | null): Notifier {
  if (publicUrl === null) return notifier;
  return {
    send(notice, signal) {
      const page = `${publicUrl}${pathOf(notice)}`;
      return notifier.send({ ...notice, data: { ...notice.data, page } }, signal);
    },
  };
}

function pathOf({ task, data: { night = "" } }: Notice): string {
  if (task !== null) return `/tasks/${task}`;
  return night === "" ? "/" : `/nights/${night}`;
}

/** Sends one heartbeat. Throws DeliveryError. */
export async function ping(address: string): Promise<void> {
  const url = new URL(address);
  await callOk({ method: "GET", url, secrets: pathSecrets(url) });
}

/** Without `on`, a channel gets all notices. */
function wants({ on }: OwnSettings, kind: NoticeKind): boolean {
  return !Array.isArray(on) || on.includes(kind);
}
