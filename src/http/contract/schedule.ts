import { z } from "zod";
import { CATEGORIES } from "../../core/nightly/category.ts";
import { ROLES } from "../../core/task/role.ts";
import { requiredName, time } from "./common.ts";

export const upcomingSchema = z
  .strictObject({
    project: z.string(),
    name: z.string(),
    pipeline: z.string(),
    title: z.string(),
    cron: z.string(),
    time_zone: z.string(),
    at: time.nullable().meta({ description: "Null if the schedule does not run in the requested period." }),
    categories: z
      .array(z.string())
      .nullable()
      .meta({ description: "Categories of a nightly improvement. Empty if none is scheduled for that day." }),
  })
  .meta({ id: "UpcomingRun" });

export const schedulesSchema = z.strictObject({ runs: z.array(upcomingSchema), problems: z.array(z.string()) });

const amount = z.number().nullable();

export const improvePreviewSchema = z
  .strictObject({
    project: z.string(),
    pipeline: z.string(),
    categories: z.array(z.string()).meta({ description: "In the order of the attempts." }),
    runs: z.array(
      z.strictObject({
        role: z.enum(ROLES),
        agent: z.string(),
        model: z.string().nullable(),
        timeout_ms: z.int(),
        max_turns: z.int().nullable(),
        max_budget_usd: amount,
        tools: z.array(z.string()),
        commands: z.array(z.string()).nullable().meta({ description: "Null for all programs of the system." }),
        workspace: z.enum(["read", "write"]),
        executes: z.boolean().meta({ description: "Whether code of the workspace may run." }),
        network: z.array(z.string()),
        secrets: z.array(z.string()).meta({ description: "Names, never values." }),
        prompt: z.string().meta({ description: "The prompt as far as it is known before the run." }),
      }),
    ),
    checks: z.array(z.strictObject({ name: z.string(), command: z.string() })),
    limits: z.strictObject({
      max_diff_lines: z.int(),
      avoid_recent_commits: z.int().nullable().meta({ description: "Null if the length of the history is unknown." }),
      open_change_requests: z.int(),
      retries: z.int(),
      task_timeout_ms: z.int(),
    }),
    files: z
      .strictObject({
        all: z.int(),
        eligible: z.int().meta({ description: "How many of them the change may touch." }),
        problem: z.string().nullable().meta({ description: "Why no file may be touched." }),
      })
      .nullable()
      .meta({ description: "The files of the default branch. Null if the remote cannot be read." }),
    budget: z.strictObject({
      run_usd: amount,
      task_usd: amount,
      night_usd: amount,
      month_usd: amount,
      run_tokens: z.int().nullable(),
    }),
    publish: z.strictObject({
      forge: z.string().nullable(),
      target: z.string(),
      reviewer: z.string().nullable(),
      by: z.enum(["engine", "agent"]).meta({ description: "With `agent`, the agent gets the forge token." }),
    }),
  })
  .meta({ id: "ImprovePreview" });

export const improveSchema = z.strictObject({
  project: requiredName,
  category: z.enum(CATEGORIES).nullable().default(null),
  only: z.boolean().default(false),
});

export type UpcomingJson = z.infer<typeof upcomingSchema>;
export type ImprovePreviewJson = z.infer<typeof improvePreviewSchema>;
export type SchedulesJson = z.infer<typeof schedulesSchema>;
