import { z } from "zod";
import { NIGHT_RESULTS } from "../../core/quality/nights.ts";
import { QUALITY_DIMENSIONS } from "../../core/quality/quality.ts";
import { listOf, shortText, time } from "./common.ts";
import { costsQuerySchema } from "./costs.ts";
import { route } from "./route.ts";

const { since, until, project } = costsQuerySchema.shape;

const count = z.int();
const rate = z.number().nullable();
const tasks = z.strictObject({ ended: count, succeeded: count, failed: count, cancelled: count });
const changes = z
  .strictObject({ published: count, merged: count, closed: count, open: count })
  .meta({ description: "Changes published in the period, by what became of them until now." });
const money = {
  cost_usd: z.number().nullable().meta({ description: "Sum of the known costs. Null if no cost is known." }),
  unknown_cost: count.meta({ description: "Number of runs with unknown cost. They are not part of the sum." }),
};

const figures = {
  runs: z.strictObject({ ended: count, succeeded: count, failed: count, cancelled: count, interrupted: count }).meta({
    description: "Runs of agents. Timeouts count as failed. Interrupted: ended by the machine or the daemon.",
  }),
  success_rate: rate.meta({
    description: "Succeeded runs, of those that succeeded or failed. Null below 20 of them, like the other rates.",
  }),
  median_ms: z.number().nullable().meta({ description: "Median duration of the runs that succeeded or failed." }),
  attempts: z.number().nullable().meta({ description: "Runs for each role of a task that these runs worked in." }),
  tasks: tasks.meta({ description: "Tasks count for the run that last changed the work." }),
  checks: z.strictObject({
    tasks: count,
    repaired: count.meta({ description: "Tasks that failed a check at least once." }),
  }),
  repair_rate: rate,
  changes,
  ...money,
  cost_per_merged_usd: z
    .number()
    .nullable()
    .meta({ description: "All known costs divided by the merged changes. Null if none was merged." }),
};

const qualityRowSchema = z.strictObject({
  project: z.string().optional(),
  pipeline: z.string().optional(),
  role: z.string().nullable().optional(),
  agent: z.string().nullable().optional(),
  model: z.string().nullable().optional(),
  ...figures,
});
export type QualityRowJson = z.output<typeof qualityRowSchema>;

const qualitySchema = z
  .strictObject({
    since: time,
    until: time,
    time_zone: z.string(),
    by: z.array(z.enum(QUALITY_DIMENSIONS)),
    rows: z.array(qualityRowSchema),
    total: z.strictObject(figures),
    is_complete: z.boolean().meta({
      description: "False if the period has more runs or tasks than are read. The counts are then those of the newest.",
    }),
  })
  .meta({ id: "Quality" });
export type QualityJson = z.output<typeof qualitySchema>;

const nightsSchema = z
  .strictObject({
    time_zone: z.string(),
    nights: z.array(
      z.strictObject({
        night: z.string().meta({ description: "The day on which the night began, at noon." }),
        since: time,
        until: time,
        result: z.enum(NIGHT_RESULTS),
        tasks,
        changes,
        runs: count,
        ...money,
      }),
    ),
    is_complete: z.boolean(),
  })
  .meta({ id: "Nights" });
export type NightsJson = z.output<typeof nightsSchema>;

export const QUALITY_ROUTES = {
  "GET /quality": route({
    summary: "Get how well agents work, next to what they cost. Default: the last 30 days. Deleted tasks are missing.",
    right: "read",
    query: z.strictObject({
      since,
      until,
      project,
      by: listOf(QUALITY_DIMENSIONS)
        .optional()
        .meta({ description: "Comma-separated dimensions to group by. Default: agent,model." }),
    }),
    ok: qualitySchema,
  }),
  "GET /nights": route({
    summary: "List what became of each night, oldest first. Default: the last 30 nights.",
    right: "read",
    query: z.strictObject({
      nights: z.coerce.number<number | string>().int().min(1).max(92).default(30),
      project: shortText.optional(),
    }),
    ok: nightsSchema,
  }),
} as const;
