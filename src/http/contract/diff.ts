import { z } from "zod";
import { RISKS } from "../../core/report/risk.ts";

export const diffSchema = z
  .strictObject({
    task: z.string(),
    run: z.string().nullable().meta({ description: "The run that made the change. Null if there is no change yet." }),
    base_commit: z.string().nullable(),
    head_commit: z.string().nullable(),
    since: z.string().nullable().meta({ description: "The patch starts at this commit instead of the base." }),
    reviewed_commit: z.string().nullable().meta({
      description: "The newest reviewed commit before the head, for `since`. Null if there is none or it is not kept.",
    }),
    patch: z.string(),
    cut: z.boolean().meta({ description: "The patch is too long to be kept whole." }),
    files: z.array(
      z.strictObject({
        path: z.string(),
        change: z.enum(["created", "modified", "deleted"]),
        insertions: z.int(),
        deletions: z.int(),
        binary: z.boolean(),
      }),
    ),
    findings: z
      .array(
        z.strictObject({
          rule: z.string(),
          severity: z.enum(["error", "warning", "note"]),
          path: z.string(),
          line: z.int().nullable().meta({ description: "In the new file, or in the old one if the message says so." }),
          message: z.string(),
        }),
      )
      .meta({ description: "What the built-in review found in the newest version: diff policy and secrets." }),
    risk: z
      .strictObject({ level: z.enum(RISKS), reasons: z.array(z.string()) })
      .nullable()
      .meta({
        description: "Null if there is no change.",
      }),
    reading_minutes: z.int(),
  })
  .meta({ id: "Diff" });
export type DiffJson = z.output<typeof diffSchema>;
