import { z } from "zod";
import { COST_DIMENSIONS } from "../../core/money/cost-dimensions.ts";
import { listOf, time, tokensSchema } from "./common.ts";

/** Nothing of ours was before or will be after. */
const YEARS = /^(19[7-9]|2\d\d)\d-/;
const day = z.iso.date().regex(YEARS);
const moment = z.iso.datetime({ offset: true }).regex(YEARS);
const someDays = z.string().regex(/^[1-9]\d{0,3}d$/);

const sinceSchema = z.union([day, moment, someDays], {
  error: "must be a day (2026-11-15), a moment (2026-11-15T22:00:00Z) or a number of days (7d)",
});
const untilSchema = z.union([day, moment], {
  error: "must be a day (2026-11-15) or a moment (2026-11-15T22:00:00Z)",
});

export const costsQuerySchema = z.strictObject({
  since: sinceSchema.optional().meta({ description: "A day, a moment, or `7d`: seven days, today among them." }),
  until: untilSchema.optional().meta({ description: "A day, which counts whole, or the first moment that does not." }),
  project: z.string().optional(),
  by: listOf(COST_DIMENSIONS)
    .optional()
    .meta({ description: "What to sum by, comma-separated and in this order; all of them unless told." }),
});
export type CostsQuery = z.output<typeof costsQuerySchema>;

const count = z.int();
const sums = {
  runs: count,
  cost_usd: z.number().nullable().meta({ description: "The sum of the known ones; null where none is known." }),
  unknown_cost: count.meta({ description: "Runs whose cost nobody knows: they are not in the sum." }),
  tokens: tokensSchema.nullable().meta({ description: "Null where those of no run are known." }),
  unknown_tokens: count,
  basis: z
    .strictObject({ reported: count, metered: count, computed: count, unknown: count })
    .meta({ description: "How many runs have their cost by which way." }),
};

export const costsSchema = z
  .strictObject({
    since: time,
    until: time,
    time_zone: z.string().meta({ description: "Whose days these are." }),
    by: z.array(z.enum(COST_DIMENSIONS)),
    rows: z.array(
      z
        .strictObject({
          day: z.string().optional(),
          project: z.string().optional(),
          pipeline: z.string().optional(),
          role: z.string().nullable().optional(),
          agent: z.string().nullable().optional(),
          model: z.string().nullable().optional(),
          ...sums,
        })
        .meta({ description: "Has what was asked for with `by`, and the sums." }),
    ),
    total: z.strictObject(sums),
  })
  .meta({ id: "Costs" });
export type CostsJson = z.output<typeof costsSchema>;

export const budgetSchema = z
  .strictObject({
    window: z.enum(["night", "month"]),
    project: z.string().nullable().meta({ description: "Null: the sum over all projects." }),
    limit_usd: z.number(),
    spent_usd: z.number(),
    reserved_usd: z.number().meta({ description: "What runs under way may still spend." }),
    runs: count.meta({ description: "Those that cost something." }),
    running: count.meta({ description: "Those that have something reserved." }),
    unknown_cost: count.meta({ description: "Runs whose cost nobody knows: the limit cannot count them." }),
    since: time,
    until: time,
    time_zone: z.string(),
  })
  .meta({ id: "Budget" });
export type BudgetJson = z.output<typeof budgetSchema>;
