import { z } from "zod";

export const problemSchema = z
  .strictObject({
    type: z.string().meta({ description: "urn:nightshift:problem:<kind>" }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    hint: z.string().nullable().meta({ description: "What to do instead." }),
    issues: z.array(
      z.strictObject({
        file: z.string().nullable(),
        line: z.int().nullable(),
        column: z.int().nullable(),
        key: z.string(),
        message: z.string(),
      }),
    ),
  })
  .meta({ id: "Problem", description: "RFC 9457" });
export type ProblemJson = z.output<typeof problemSchema>;
