import { z } from "zod";
import { RIGHTS } from "../../core/task/requester.ts";
import { time } from "./common.ts";

export const rightSchema = z.enum(RIGHTS);

export const tokenSchema = z
  .strictObject({ name: z.string(), rights: z.array(rightSchema), created_at: time })
  .meta({ id: "Token" });
export type TokenJson = z.output<typeof tokenSchema>;

export const newTokenSchema = z.strictObject({
  name: z
    .string()
    .max(64)
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/,
      "must be 1 to 64 letters, digits or . _ @ -, starting with a letter or digit",
    ),
  rights: z.array(rightSchema).max(10),
});

export const issuedTokenSchema = tokenSchema
  .extend({ token: z.string().meta({ description: "Shown only once. Only its hash is stored." }) })
  .meta({ id: "IssuedToken" });
