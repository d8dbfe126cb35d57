import { createHmac } from "node:crypto";
import { deliveryId } from "../../../core/notices/notice.ts";
import { messageOf } from "../../../core/notices/notice-message.ts";
import type { Notifier } from "../../../ports/notifier.ts";
import type { Notice } from "../../../ports/store.ts";
import type { ChannelContext } from "../definition.ts";
import { callOk, pathSecrets } from "../shared/call.ts";
import { readSecret } from "../shared/read-secret.ts";

type WebhookOptions = ChannelContext<{ readonly url: string; readonly secret_env?: string | undefined }>;

/** Posts JSON to a URL of the user. The signature lets the receiver verify the sender and the time. */
export function createWebhookNotifier({ settings, env, timeoutMs }: WebhookOptions): Notifier {
  return {
    async send(notice, signal) {
      const secret = readSecret(env, settings.secret_env, "notify.webhook.secret_env");
      const url = new URL(settings.url);
      const body = JSON.stringify(webhookBody(notice));
      const timestamp = String(Math.floor(Date.now() / 1_000));
      await callOk({
        method: "POST",
        url,
        headers: {
          "content-type": "application/json",
          "x-nightshift-delivery": deliveryId(notice),
          "x-nightshift-timestamp": timestamp,
          ...(secret === null ? {} : { "x-nightshift-signature": sign(secret, timestamp, body) }),
        },
        body,
        secrets: [...pathSecrets(url), ...(secret === null ? [] : [secret])],
        signal,
        timeoutMs,
      });
    },
  };
}

/** Includes the timestamp, so that an old message cannot be replayed as a new one. */
export function sign(secret: string, timestamp: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
}

function webhookBody(notice: Notice): Readonly<Record<string, unknown>> {
  const { data } = notice;
  const { title, lines } = messageOf(notice);
  return {
    delivery: deliveryId(notice),
    kind: notice.kind,
    about: data.about ?? null,
    at: new Date(notice.at).toISOString(),
    project: notice.project,
    task: notice.task,
    title,
    text: lines.join("\n"),
    task_title: notice.title,
    pipeline: data.pipeline,
    status: data.status,
    state: data.state,
    outcome: data.outcome,
    category: data.category,
    reason: data.reason,
    url: data.url,
    page: data.page ?? null,
    cost_usd: data.costUsd,
    duration_ms: data.durationMs,
    waiting_for: data.waitingFor,
    next: data.next,
  };
}
