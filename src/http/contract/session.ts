import { z } from "zod";
import { time } from "./common.ts";
import { route } from "./route.ts";
import { rightSchema } from "./token.ts";

const sessionSchema = z
  .strictObject({
    name: z.string(),
    rights: z.array(rightSchema),
    browser: z
      .strictObject({ until: time })
      .nullable()
      .meta({ description: "Until when this browser is signed in. Null if the request has a token instead." }),
  })
  .meta({ id: "Session" });

export const SESSION_ROUTES = {
  "GET /session": route({
    summary: "Get who sends the request, and what they may do.",
    right: "read",
    ok: sessionSchema,
  }),
} as const;
