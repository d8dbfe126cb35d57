import { z } from "zod";
import { time } from "./common.ts";

/** A notification about a task, and what became of it. */
export const notificationSchema = z
  .strictObject({
    channel: z.string(),
    kind: z.string(),
    at: time,
    status: z.enum(["sent", "pending", "not_sent"]),
    sent_at: time.nullable(),
    reason: z.string().nullable().meta({ description: "Why it was not sent, or why the last attempt failed." }),
  })
  .meta({ id: "Notification" });
