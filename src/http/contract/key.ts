import { z } from "zod";
import { time } from "./common.ts";

export const keySchema = z
  .strictObject({
    name: z.string(),
    source: z
      .enum(["stored", "environment"])
      .meta({ description: "Stored with `nightshift auth add`, or set in the environment of the daemon." }),
    ending: z.string().nullable().meta({ description: "The last four characters. Null for short values." }),
    added_at: time.nullable(),
    replaces_environment: z
      .boolean()
      .meta({ description: "The daemon's environment also sets this variable. The stored value is used." }),
  })
  .meta({ id: "Key" });
