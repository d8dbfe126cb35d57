import { z } from "zod";
import { EVENT_TYPES } from "../../core/task/event.ts";
import { freeObject, time } from "./common.ts";

export const eventSchema = z
  .strictObject({
    id: z.int().meta({ description: "Increasing; also the id in the stream." }),
    at: time,
    task: z.string().nullable(),
    run: z.string().nullable(),
    type: z.enum(EVENT_TYPES),
    level: z.enum(["debug", "info", "warning", "error"]),
    actor: z.strictObject({ kind: z.enum(["person", "agent", "system"]), name: z.string() }),
    summary: z.string(),
    data: freeObject,
  })
  .meta({ id: "Event" });
export type EventJson = z.output<typeof eventSchema>;
