import type { NotifierDefinition } from "../../adapters/notifiers/definition.ts";
import { ALL_PROJECTS, describeTestMessage } from "../../core/notices/notice.ts";
import { UserError } from "../../core/text/errors.ts";
import type { OwnSettings } from "../../core/settings/kinds.ts";
import { NOTIFIED_KINDS, type NotifiedKind } from "../../core/settings/settings.ts";
import type { EnginePorts } from "../../engine/ports.ts";
import type { HttpDeps } from "../../http/deps.ts";
import type { Notice } from "../../ports/store.ts";
import type { Channels } from "./wire-notifiers.ts";

interface ChannelTestsParams {
  readonly notifiers: readonly NotifierDefinition[];
  readonly channels: Pick<Channels, "listConfigured" | "notifierFor">;
  readonly ports: Pick<EnginePorts, "store" | "clock" | "secrets" | "host">;
}

const TIMEOUT_MS = 30_000;

/** Lists the configured channels, and sends test messages as the outbox would. */
export function createChannelTests({ notifiers, channels, ports }: ChannelTestsParams): HttpDeps["channels"] {
  const { store, clock, secrets, host } = ports;

  async function findFailure(kind: string, project: string | null): Promise<string | null> {
    const all = (await store.projects.listProjects()).map(({ name }) => name);
    return await store.outbox.findFailure(kind, project === null ? [ALL_PROJECTS, ...all] : [project]);
  }

  async function send(kind: string, project: string, by: string): Promise<void> {
    const notifier = await channels.notifierFor(project, kind);
    if (notifier === null) throw new Error("the channel was removed from the settings meanwhile");
    await notifier.send(testNotice(kind, project, { by, at: clock.now() }), AbortSignal.timeout(TIMEOUT_MS));
  }

  return {
    async list() {
      const found = await channels.listConfigured();
      return await Promise.all(
        found.map(async ({ kind, project, settings }) => {
          const problem = await findFailure(kind, project);
          return { name: kind, kind, project, on: kindsOf(settings), problem };
        }),
      );
    },

    async test(name, { project, by }) {
      const found = await channels.listConfigured();
      const channel = found.find((each) => each.kind === name && each.project === project);
      const definition = notifiers.find(({ kind }) => kind === name);
      if (channel === undefined || definition === undefined) throw unknownChannel(name, project, found);
      const { settings } = channel;
      try {
        // A test message in a page of nights would look like a night.
        if (definition.isNightLog) return { ok: true, detail: await definition.check({ settings, env: host.env }) };
        await send(name, project ?? ALL_PROJECTS, by);
        return { ok: true, detail: `${hostOf(settings)} accepted the message.` };
      } catch (error) {
        return { ok: false, detail: secrets.redact(error instanceof Error ? error.message : String(error)) };
      }
    },
  };
}

function testNotice(
  channel: string,
  project: string,
  { by, at }: { readonly by: string; readonly at: number },
): Notice {
  const data = describeTestMessage(by);
  const title = "Nightshift reaches this channel";
  return {
    id: 0,
    attempts: 0,
    kind: "finished",
    channel,
    project,
    task: null,
    title,
    text: data.reason ?? "",
    data,
    at,
  };
}

/** Without `on`, a channel gets all notices. */
function kindsOf({ on }: OwnSettings): readonly NotifiedKind[] {
  return Array.isArray(on) ? NOTIFIED_KINDS.filter((kind) => on.includes(kind)) : NOTIFIED_KINDS;
}

/** Only the host, because the path of a webhook is a secret. */
function hostOf({ url }: OwnSettings): string {
  const parsed = typeof url === "string" ? URL.parse(url) : null;
  return parsed === null ? "The service" : parsed.host;
}

function unknownChannel(
  name: string,
  project: string | null,
  found: readonly { readonly kind: string; readonly project: string | null }[],
): UserError {
  const where = project === null ? "config.yaml" : `the settings of ${project}`;
  const known = found.map(({ kind, project: of }) => (of === null ? kind : `${kind} of ${of}`));
  return new UserError(
    "not_found",
    `There is no channel "${name}" in ${where}.`,
    known.length === 0 ? "Add one under notify in config.yaml." : `Channels: ${known.join(", ")}.`,
  );
}
