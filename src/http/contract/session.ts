import { z } from "zod";
import { ownPath } from "../../core/text/own-path.ts";
import { requiredName, shortText, time } from "./common.ts";
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

const linkSchema = z
  .strictObject({
    url: z.string().meta({ description: "Signs in the browser that opens it, once. Shown only here." }),
    until: time,
  })
  .meta({ id: "SignInLink" });

const path = shortText
  .refine((value) => ownPath(value) !== null, "must be a path of the page, such as `/inbox`")
  .nullable()
  .default(null);

export const SESSION_ROUTES = {
  "GET /session": route({
    summary: "Get who sends the request, and what they may do.",
    right: "read",
    ok: sessionSchema,
  }),
  "POST /session": route({
    summary: "Sign this browser in with the code of a sign-in link. The response sets a cookie.",
    right: null,
    body: z.strictObject({
      code: shortText.min(1),
      replace: z.boolean().default(false).meta({
        description: "Also if the browser is signed in as another person. Otherwise that is a conflict.",
      }),
    }),
    ok: sessionSchema,
    replay: false,
  }),
  "DELETE /session": route({
    summary: "Sign this browser out. Its cookie is not valid any more.",
    right: "read",
    status: 204,
    replay: false,
  }),
  "POST /session/links": route({
    summary: "Create a link that signs a browser in. It works once and for ten minutes.",
    right: "read",
    body: z.strictObject({
      person: requiredName.nullable().default(null).meta({
        description:
          "Whom to sign in: a name of GET /tokens. Needs the right `admin`. Null: the person who sends this.",
      }),
      path: path.meta({ description: "The page to show after that, such as `/inbox`." }),
    }),
    status: 201,
    ok: linkSchema,
    replay: false,
  }),
} as const;
