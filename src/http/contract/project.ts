import { z } from "zod";
import { time } from "./common.ts";

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
    path: z.string().startsWith("/", "must be an absolute path").nullable().default(null),
    url: z.string().min(1).nullable().default(null),
    accept: z.string().nullable().default(null).meta({
      description:
        "The hash of what is accepted (GET /projects/:name/trust); null registers without accepting anything new.",
    }),
  })
  .refine((body) => (body.path === null) !== (body.url === null), "needs either path or url");

export const pendingTrustSchema = z
  .strictObject({
    project: z.string(),
    hash: z.string().meta({ description: "Names exactly what would be accepted; send it back as `accept`." }),
    changes: z.array(
      z.strictObject({
        key: z.string(),
        accepted: z.string().nullable().meta({ description: "What a person accepted before; null for nothing." }),
        wanted: z.string().nullable().meta({ description: "What the project's files say now." }),
      }),
    ),
  })
  .meta({ id: "PendingTrust", description: "What the project's files would widen beyond what was accepted." });
export type PendingTrustJson = z.output<typeof pendingTrustSchema>;
