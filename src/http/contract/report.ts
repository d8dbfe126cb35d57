import { z } from "zod";
import { RISKS } from "../../core/report/risk.ts";
import { SECTIONS, type Section } from "../../core/report/sections.ts";
import { VERDICTS } from "../../core/report/verdict.ts";
import { WAIT_KINDS } from "../../core/pipeline/pipeline.ts";
import { PROOFS } from "../../core/task/checks/proof.ts";
import { TASK_STATUSES } from "../../core/task/task.ts";
import { shortText, time } from "./common.ts";
import { budgetSchema, costsSchema, day, sinceSchema } from "./costs.ts";

export const reportQuerySchema = z
  .strictObject({
    night: day.optional().meta({ description: "The night that began on this day." }),
    since: sinceSchema.optional().meta({
      description:
        "First day, a timestamp, or `7d` for the last seven days including today; until now. At most 92 days.",
    }),
    project: shortText.optional(),
  })
  .refine(({ night, since }) => night === undefined || since === undefined, {
    error: "night and since cannot be combined",
  });

const count = z.int();
const changeSchema = z.strictObject({
  files: count,
  insertions: count,
  deletions: count,
  risk: z.strictObject({ level: z.enum(RISKS), reasons: z.array(z.string()) }),
  reading_minutes: count.meta({ description: "An estimate, without lock files." }),
  proof: z.enum(PROOFS).nullable().meta({
    description: "Whether the tests of a fix fail on the base commit and pass on the change. Null: not examined.",
  }),
});

const reportedTaskSchema = z
  .strictObject({
    id: z.string(),
    short_id: z.string(),
    title: z.string(),
    project: z.string(),
    pipeline: z.string(),
    status: z.enum(TASK_STATUSES),
    state: z.string(),
    outcome: z.string().nullable(),
    category: z.string().nullable(),
    reason: z.string().nullable().meta({ description: "Why it ended, what it asks, or why it is queued." }),
    waiting_for: z.enum(WAIT_KINDS).nullable(),
    waiting_since: time.nullable(),
    deadline: time.nullable().meta({ description: "When the first default answer is taken." }),
    branch: z.string().nullable(),
    change_request: z
      .strictObject({ number: z.int(), url: z.string(), state: z.enum(["open", "merged", "closed"]) })
      .nullable(),
    change: changeSchema.nullable().meta({ description: "Null if there is nothing to merge." }),
    cost_usd: z.number().nullable().meta({ description: "Sum of the known costs. Null if no cost is known." }),
    unknown_cost: count.meta({ description: "Number of ended runs with unknown cost. They are not part of the sum." }),
    duration_ms: count,
    finished_at: time.nullable(),
    next: z.array(z.string()).meta({ description: "Commands to type, or the address of a change request." }),
  })
  .meta({ id: "ReportedTask" });
export type ReportedTaskJson = z.output<typeof reportedTaskSchema>;

const sectionSchema = z.strictObject({
  total: count,
  tasks: z.array(reportedTaskSchema).meta({ description: "At most 200." }),
});

// The cast is safe: every section is a key.
const sections = Object.fromEntries(SECTIONS.map((section) => [section, sectionSchema])) as Record<
  Section,
  typeof sectionSchema
>;

const spanSchema = z.strictObject({
  run: z.string(),
  task: z.string(),
  project: z.string(),
  step: z.enum(["agent", "checks", "publish", "post"]),
  status: z.string(),
  from: time,
  to: time.nullable().meta({ description: "Null if it has not ended." }),
});

export const reportSchema = z
  .strictObject({
    night: z.string().nullable().meta({ description: "The day on which the night began. Null for another period." }),
    since: time,
    until: time,
    time_zone: z.string(),
    verdict: z.strictObject({ level: z.enum(VERDICTS), fact: z.string(), consequence: z.string() }),
    problems: z
      .array(
        z.strictObject({
          text: z.string(),
          command: z.string(),
          agent: z
            .string()
            .meta({ description: "The agent that cannot work. POST /agents/:name/retry tries it again." }),
          tasks: count,
        }),
      )
      .meta({ description: "What stops work until a person does something." }),
    sections: z.strictObject(sections),
    missed: z
      .array(z.strictObject({ at: time, text: z.string() }))
      .meta({ description: "Scheduled work that did not start in time or at all." }),
    spans: z.array(spanSchema).meta({ description: "When runs worked." }),
    gaps: z
      .array(
        z.strictObject({
          kind: z.enum(["daemon", "agent"]),
          agent: z.string().nullable(),
          reason: z.string(),
          from: time,
          to: time.nullable().meta({ description: "Null if it did not end in the period." }),
        }),
      )
      .meta({ description: "When the daemon was stopped or an agent was parked." }),
    money: z.strictObject({ costs: costsSchema, budgets: z.array(budgetSchema) }),
    previous: z
      .strictObject({ since: time, until: time, succeeded: count, failed: count, cost_usd: z.number().nullable() })
      .meta({ description: "The night before, or the period of the same length before." }),
  })
  .meta({ id: "Report" });
export type ReportJson = z.output<typeof reportSchema>;
