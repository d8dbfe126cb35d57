import { z } from "zod";

const files = z.array(z.string());

export const mergeOrderSchema = z
  .strictObject({
    target: z.string().meta({ description: "The branch to merge into." }),
    branches: z.array(
      z.strictObject({
        task: z.string(),
        short_id: z.string(),
        title: z.string(),
        branch: z.string(),
        commit: z.string(),
        target_conflicts: files.meta({ description: "Files that conflict with the target." }),
        conflicts: z
          .array(z.strictObject({ task: z.string(), files }))
          .meta({ description: "The other branches that it conflicts with, and on which files." }),
      }),
    ),
    left_out: z.int().meta({ description: "Number of older branches that were not compared." }),
  })
  .meta({
    id: "MergeOrder",
    description:
      "The published branches of a project in the order in which most can be merged without a conflict, as of the last fetch. At most 20 are compared.",
  });
export type MergeOrderJson = z.output<typeof mergeOrderSchema>;
