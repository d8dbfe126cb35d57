import { DeliveryError } from "../../../core/notices/notice-delivery.ts";
import type { NoticeAbout } from "../../../core/notices/notice.ts";
import { messageOf } from "../../../core/notices/notice-message.ts";
import type { Notifier } from "../../../ports/notifier.ts";
import type { Notice } from "../../../ports/store.ts";
import type { ChannelContext } from "../definition.ts";
import { callOk } from "../shared/call.ts";
import { readSecret } from "../shared/read-secret.ts";

interface NtfySettings {
  readonly url: string;
  readonly topic: string;
  readonly token_env?: string | undefined;
}

const TOPIC = /^[-_A-Za-z0-9]{1,64}$/;
const TAGS = {
  finished: "white_check_mark",
  failed: "rotating_light",
  waiting: "raised_hand",
  report: "sunrise",
} as const;
/** Notices of kind "failed" that are not failures and therefore have normal priority. */
const INFORMATIONAL_TAGS: Readonly<Partial<Record<NoticeAbout, string>>> = {
  missed: "alarm_clock",
  skipped: "fast_forward",
};
const CANCELLED_TAG = "no_entry_sign";
const DEFAULT_PRIORITY = 3;
const HIGH_PRIORITY = 4;

/**
 * Publishes JSON to the root URL of the server (https://docs.ntfy.sh/publish/#publish-as-json). Under the URL of the topic,
 * ntfy would show the JSON itself as the message.
 */
export function createNtfyNotifier({ settings, env, timeoutMs }: ChannelContext<NtfySettings>): Notifier {
  return {
    async send(notice, signal) {
      const problem = findSettingsProblem(settings);
      if (problem !== null) throw new DeliveryError(problem);
      const token = readSecret(env, settings.token_env, "notify.ntfy.token_env");
      await callOk({
        method: "POST",
        url: new URL("/", settings.url),
        headers: {
          "content-type": "application/json",
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ topic: settings.topic, ...ntfyMessage(notice) }),
        secrets: token === null ? [] : [token],
        signal,
        timeoutMs,
      });
    },
  };
}

/** Returns the problem with the settings, or null if there is none. */
export function findSettingsProblem({ url, topic }: NtfySettings): string | null {
  if (!TOPIC.test(topic))
    return `notify.ntfy.topic is "${topic}"; allowed: 1 to 64 letters, digits, "-" and "_", without the server's URL`;
  const { pathname, origin } = new URL(url);
  if (pathname === "/") return null;
  return `notify.ntfy.url has the path ${pathname}; set it to ${origin} and the topic in notify.ntfy.topic`;
}

function ntfyMessage(notice: Notice): Readonly<Record<string, unknown>> {
  const { title, lines } = messageOf(notice);
  const { url, page, about } = notice.data;
  const isUrgent = notice.kind === "failed" && (about === undefined || INFORMATIONAL_TAGS[about] === undefined);
  const message = {
    title,
    message: lines.filter((line) => line !== url && line !== page).join("\n"),
    tags: [tagFor(notice)],
    priority: isUrgent ? HIGH_PRIORITY : DEFAULT_PRIORITY,
  };
  const actions = [
    ...(page === undefined ? [] : [{ action: "view", label: "Open in Nightshift", url: page }]),
    ...(url === null ? [] : [{ action: "view", label: "Open change request", url }]),
  ];
  const [first] = actions;
  // The page shows the change request too, with what Nightshift knows about it.
  return first === undefined ? message : { ...message, click: first.url, actions };
}

function tagFor({ kind, data: { about, status } }: Notice): string {
  if (about === undefined) return status === "cancelled" ? CANCELLED_TAG : TAGS[kind];
  return INFORMATIONAL_TAGS[about] ?? TAGS[kind];
}
