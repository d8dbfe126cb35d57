import { z } from "zod";
import { DeliveryError } from "../../../core/notices/notice-delivery.ts";
import { environmentName, notifiedKinds, webUrl } from "../../../core/settings/values.ts";
import type { NotifierDefinition } from "../definition.ts";
import { call } from "../shared/call.ts";
import { readSecret } from "../shared/read-secret.ts";
import { createWebhookNotifier } from "./webhook.ts";

const settings = z.object({
  url: webUrl.describe("URL that receives a POST request for each message."),
  secret_env: environmentName.optional().describe("Environment variable with the key that signs requests."),
  on: notifiedKinds,
});

export const webhookNotifier: NotifierDefinition = {
  kind: "webhook",
  summary: "Notifications by webhook.",
  settings,
  secretKeys: ["secret_env"],
  isNightLog: false,
  create: (channel) => createWebhookNotifier({ ...channel, settings: settings.parse(channel.settings) }),
  async check({ settings: rawSettings, env, timeoutMs }) {
    const webhook = settings.parse(rawSettings);
    readSecret(env, webhook.secret_env, "notify.webhook.secret_env");
    const url = new URL(webhook.url);
    // The URL accepts only POST, so any response without a server error is fine.
    const { status } = await call({ method: "HEAD", url, timeoutMs });
    if (status >= 500) throw new DeliveryError(`HTTP ${status} from ${url.host}`);
    const unsigned = "; messages are not signed (notify.webhook.secret_env)";
    return `${url.host} answers${webhook.secret_env === undefined ? unsigned : ""}`;
  },
  docs: "JSON by POST, signed",
};
