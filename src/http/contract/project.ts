import { z } from "zod";
import { absolutePath, shortText, time } from "./common.ts";

export const projectSchema = z
  .strictObject({
    name: z.string(),
    path: z.string().nullable(),
    remote: z.string(),
    default_branch: z.string(),
    accepted_by: z.string(),
    accepted_at: time,
  })
  .meta({ id: "Project" });
export type ProjectJson = z.output<typeof projectSchema>;

export const registerSchema = z
  .strictObject({
    path: absolutePath.nullable().default(null),
    url: z.string().min(1).max(2048).nullable().default(null),
    accept: shortText.nullable().default(null).meta({
      description:
        "Hash of the accepted changes (see GET /projects/:name/trust). Null registers the project without accepting changes.",
    }),
  })
  .refine((body) => (body.path === null) !== (body.url === null), "needs either path or url");

export const pendingTrustSchema = z
  .strictObject({
    project: z.string(),
    hash: z.string().meta({ description: "Identifies these exact changes. Send it as `accept` to accept them." }),
    changes: z.array(
      z.strictObject({
        key: z.string(),
        accepted: z.string().nullable().meta({ description: "The value that a person accepted before, or null." }),
        wanted: z.string().nullable().meta({ description: "The value that the project's files request now." }),
      }),
    ),
  })
  .meta({ id: "PendingTrust", description: "Permissions that the project's files request beyond the accepted ones." });
export type PendingTrustJson = z.output<typeof pendingTrustSchema>;
