import { z } from "zod";
import { NOTIFIED_KINDS } from "../../core/settings/settings.ts";
import { requiredName } from "./common.ts";
import { route } from "./route.ts";

const channelSchema = z
  .strictObject({
    name: z.string(),
    kind: z.string(),
    project: z.string().nullable().meta({ description: "The project whose settings have it. Null: config.yaml." }),
    on: z.array(z.enum(NOTIFIED_KINDS)).meta({ description: "What it is notified about." }),
    problem: z.string().nullable().meta({ description: "Why the last message did not arrive." }),
  })
  .meta({ id: "Channel" });

const channelTestSchema = z
  .strictObject({ ok: z.boolean(), detail: z.string().meta({ description: "What the service answered." }) })
  .meta({ id: "ChannelTest" });

export const CHANNEL_ROUTES = {
  "GET /channels": route({
    summary: "List the channels for notifications, without their secrets.",
    right: "read",
    ok: z.strictObject({ channels: z.array(channelSchema) }),
  }),
  "POST /channels/:name/test": route({
    summary: "Send a test message to a channel now, and report what the service answered.",
    right: "admin",
    params: z.strictObject({ name: requiredName }),
    body: z.strictObject({
      project: requiredName
        .nullable()
        .default(null)
        .meta({ description: "The project whose settings have the channel. Null: config.yaml." }),
    }),
    ok: channelTestSchema,
    replay: false,
  }),
} as const;
