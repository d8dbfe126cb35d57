import { z } from "zod";
import { DeliveryError } from "../../../core/notices/notice-delivery.ts";
import { environmentName, text, notifiedKinds, webUrl } from "../../../core/settings/values.ts";
import type { NotifierDefinition } from "../definition.ts";
import { callOk } from "../shared/call.ts";
import { readSecret } from "../shared/read-secret.ts";
import { createNtfyNotifier, findSettingsProblem } from "./ntfy.ts";

const settings = z.object({
  url: webUrl.describe("URL of the ntfy server."),
  topic: text.describe("Topic to send to."),
  token_env: environmentName.optional().describe("Environment variable with the access token."),
  on: notifiedKinds,
});

export const ntfyNotifier: NotifierDefinition = {
  kind: "ntfy",
  summary: "Notifications through ntfy.",
  settings,
  secretKeys: ["token_env"],
  isNightLog: false,
  create: (channel) => createNtfyNotifier({ ...channel, settings: settings.parse(channel.settings) }),
  async check({ settings: rawSettings, env, timeoutMs }) {
    const ntfy = settings.parse(rawSettings);
    const problem = findSettingsProblem(ntfy);
    if (problem !== null) throw new Error(problem);
    readSecret(env, ntfy.token_env, "notify.ntfy.token_env");
    const url = new URL("/v1/health", ntfy.url);
    const response = await callOk({ method: "GET", url, timeoutMs });
    if (!/"healthy"\s*:\s*true/.test(response.text))
      throw new DeliveryError(`${url.host} is not a ntfy server or is not healthy`);
    return `${url.host} is healthy`;
  },
  docs: "a message of at most five lines, with a button that opens the change request; failures in high priority",
};
