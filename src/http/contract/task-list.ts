import { z } from "zod";
import { TASK_STATUSES } from "../../core/task/task.ts";
import { limitUpTo, listOf, requiredName, shortText } from "./common.ts";
import { route } from "./route.ts";
import { taskSchema } from "./task.ts";

const filters = {
  status: listOf(TASK_STATUSES).optional(),
  state: shortText.optional(),
  project: shortText.optional(),
  pipeline: requiredName.optional(),
  agent: requiredName
    .optional()
    .meta({ description: "Tasks that were submitted for this agent, or with a run by it." }),
  tag: requiredName.optional(),
  text: requiredName.optional().meta({
    description: "Part of the title or the branch, or the beginning of the id. Upper and lower case are the same.",
  }),
};

const count = z.int();

export const TASK_LIST_ROUTES = {
  "GET /tasks": route({
    summary: "List tasks, newest first, without their runs, checks and artifacts.",
    right: "read",
    query: z.strictObject({ ...filters, cursor: shortText.optional(), limit: limitUpTo(1000, 100) }),
    ok: z.strictObject({ tasks: z.array(taskSchema), next: z.string().nullable() }),
  }),
  "GET /task-counts": route({
    summary: "Count the tasks that `GET /tasks` lists with the same filters, by status.",
    right: "read",
    query: z.strictObject(filters),
    ok: z.strictObject({ counts: z.record(z.enum(TASK_STATUSES), count) }),
  }),
} as const;
