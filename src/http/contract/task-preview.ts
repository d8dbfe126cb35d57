import { z } from "zod";
import { WAIT_KINDS } from "../../core/pipeline/pipeline.ts";
import { ROLES } from "../../core/task/role.ts";
import { route } from "./route.ts";
import { taskDraftSchema } from "./task.ts";

const amount = z.number().nullable();

const stepSchema = z.strictObject({
  state: z.string(),
  kind: z.enum(["agent", "checks", "publish", "post", "wait", "end"]),
  role: z.enum(ROLES).nullable(),
  waits_for: z.enum(WAIT_KINDS).nullable(),
  agents: z
    .array(z.strictObject({ agent: z.string(), model: z.string().nullable() }))
    .meta({ description: "Several with `best_of`. Empty for steps without an agent." }),
  timeout_ms: z.int().nullable(),
  max_turns: z.int().nullable(),
  max_usd: amount.meta({ description: "What one run of this step may spend. Null: nothing limits it." }),
  limits: z
    .array(z.strictObject({ name: z.string(), max: z.int() }))
    .meta({ description: "How often the task may go back from this step." }),
  checks: z.array(z.string()),
  is_last: z.boolean().meta({ description: "The task stops after this step because of `until`." }),
});

const taskPreviewSchema = z
  .strictObject({
    steps: z
      .array(stepSchema)
      .meta({ description: "The way of a task whose steps succeed the first time. Skipped states are left out." }),
    max_usd: amount.meta({ description: "What the task may spend in total. Null: nothing limits it." }),
    task_timeout_ms: z.int().nullable(),
    forge: z.string().nullable().meta({ description: "Null: only the branch is pushed." }),
    is_held: z.boolean().meta({ description: "The task starts later, because of `after`." }),
    problems: z
      .array(z.strictObject({ key: z.string(), message: z.string() }))
      .meta({ description: "Why the task cannot be submitted, by the key of the request that has to change." }),
  })
  .meta({ id: "TaskPreview" });
export type TaskPreviewJson = z.output<typeof taskPreviewSchema>;

export const TASK_PREVIEW_ROUTES = {
  "POST /tasks/preview": route({
    summary:
      "Preview what `POST /tasks` with the same body would do. Starts and stores nothing; an issue or a change request is not read.",
    right: "submit",
    body: taskDraftSchema,
    ok: taskPreviewSchema,
    replay: false,
  }),
} as const;
