import { z } from "zod";
import { requiredName } from "./common.ts";
import { route } from "./route.ts";
import { END_STATUSES, WAIT_KINDS } from "../../core/pipeline/pipeline.ts";
import { ROLES } from "../../core/task/role.ts";

const limitSchema = z.strictObject({ name: z.string(), max: z.int() });

const edgeSchema = z.strictObject({
  outcome: z.string().nullable().meta({ description: "Null: the condition of the state is false, so it is skipped." }),
  to: z.string(),
  limit: limitSchema.nullable().meta({ description: "How often the edge and all others with this name may be taken." }),
  otherwise: z.boolean().meta({ description: "Taken only if the limit of the edge before it is used up." }),
});

const stateSchema = z.strictObject({
  name: z.string(),
  kind: z.enum(["agent", "checks", "publish", "post", "wait", "end"]),
  role: z.enum(ROLES).nullable(),
  waits_for: z.enum(WAIT_KINDS).nullable(),
  end: z.enum(END_STATUSES).nullable(),
  on: z.array(edgeSchema),
});

export const pipelineSchema = z
  .strictObject({
    name: z.string(),
    project: z
      .string()
      .nullable()
      .meta({ description: "The project of the task or of the file. Null for a built-in pipeline in a list." }),
    start: z.string(),
    states: z.array(stateSchema).meta({ description: "In the order of the file." }),
  })
  .meta({
    id: "Pipeline",
    description: "States, and where each outcome leads. Default edges of failures are left out.",
  });
export type PipelineJson = z.output<typeof pipelineSchema>;

const pipelineProblemSchema = z
  .strictObject({
    project: z.string(),
    file: z.string().nullable(),
    line: z.int().nullable(),
    column: z.int().nullable(),
    key: z.string(),
    message: z.string(),
  })
  .meta({ id: "PipelineProblem", description: "Why a pipeline file of a project cannot be used." });

export const PIPELINE_ROUTES = {
  "GET /pipelines": route({
    summary: "List the built-in pipelines and those of the projects, or those that one project's tasks can use.",
    right: "read",
    query: z.strictObject({ project: requiredName.optional() }),
    ok: z.strictObject({ pipelines: z.array(pipelineSchema), problems: z.array(pipelineProblemSchema) }),
  }),
} as const;

export const taskPipelineSchema = pipelineSchema
  .extend({
    limits: z
      .array(z.strictObject({ ...limitSchema.shape, used: z.int() }))
      .meta({ description: "The limits of the pipeline, and how much of each the task has used." }),
  })
  .meta({ id: "TaskPipeline", description: "The pipeline version that a task started with." });
export type TaskPipelineJson = z.output<typeof taskPipelineSchema>;
