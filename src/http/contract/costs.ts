import { z } from "zod";
import { COST_DIMENSIONS } from "../../core/money/cost-dimensions.ts";
import { listOf, requestedTime, shortText, time, tokensSchema } from "./common.ts";

const INVALID_DAY = "must be a day of the calendar, such as 2026-11-15";
/** Accepts the years 1970 to 2999. */
const YEARS = /^(19[7-9]|2\d\d)\d-/;
export const day = z.iso.date({ error: INVALID_DAY, abort: true }).max(10).regex(YEARS, INVALID_DAY);
const moment = requestedTime.regex(YEARS);
const someDays = z
  .string()
  .max(5)
  .regex(/^[1-9]\d{0,3}d$/);

export const sinceSchema = z.union([day, moment, someDays], {
  error: "must be a day (2026-11-15), a timestamp (2026-11-15T22:00:00Z) or a number of days (7d)",
});
const untilSchema = z.union([day, moment], {
  error: "must be a day (2026-11-15) or a timestamp (2026-11-15T22:00:00Z)",
});

export const costsQuerySchema = z.strictObject({
  since: sinceSchema
    .optional()
    .meta({ description: "First day, a timestamp, or `7d` for the last seven days including today." }),
  until: untilSchema.optional().meta({ description: "Last day (inclusive), or a timestamp (exclusive)." }),
  project: shortText.optional(),
  by: listOf(COST_DIMENSIONS)
    .optional()
    .meta({ description: "Comma-separated dimensions to group by, in this order. Default: all of them except night." }),
});
export type CostsQuery = z.output<typeof costsQuerySchema>;

const count = z.int();
const sums = {
  runs: count,
  cost_usd: z.number().nullable().meta({ description: "Sum of the known costs. Null if no cost is known." }),
  unknown_cost: count.meta({ description: "Number of runs with unknown cost. They are not part of the sum." }),
  tokens: tokensSchema.nullable().meta({ description: "Null if no token counts are known." }),
  unknown_tokens: count,
  basis: z
    .strictObject({ reported: count, metered: count, computed: count, unknown: count })
    .meta({ description: "Number of runs by how their cost was determined." }),
};

export const costsSchema = z
  .strictObject({
    since: time,
    until: time,
    time_zone: z.string().meta({ description: "Time zone that defines the days." }),
    by: z.array(z.enum(COST_DIMENSIONS)),
    rows: z.array(
      z
        .strictObject({
          day: z.string().optional(),
          night: z.string().optional().meta({ description: "The day on which the night began, at noon." }),
          project: z.string().optional(),
          pipeline: z.string().optional(),
          role: z.string().nullable().optional(),
          agent: z.string().nullable().optional(),
          model: z.string().nullable().optional(),
          ...sums,
        })
        .meta({ description: "The dimensions requested with `by`, and the sums." }),
    ),
    total: z.strictObject(sums),
  })
  .meta({ id: "Costs" });
export type CostsJson = z.output<typeof costsSchema>;

export const budgetSchema = z
  .strictObject({
    window: z.enum(["night", "month"]),
    project: z.string().nullable().meta({ description: "Null for the sum over all projects." }),
    limit_usd: z.number(),
    spent_usd: z.number(),
    reserved_usd: z.number().meta({ description: "Amount that active runs may still spend." }),
    runs: count.meta({ description: "Number of runs with a known cost." }),
    running: count.meta({ description: "Number of runs with a reservation." }),
    unknown_cost: count.meta({ description: "Number of runs with unknown cost. They do not count towards the limit." }),
    since: time,
    until: time,
    time_zone: z.string(),
  })
  .meta({ id: "Budget" });
export type BudgetJson = z.output<typeof budgetSchema>;
