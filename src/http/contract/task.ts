import { z } from "zod";
import { notificationSchema } from "./notification.ts";
import { CATEGORIES } from "../../core/nightly/category.ts";
import { CONTEXT_KINDS, CONTEXT_SOURCES } from "../../core/task/documents/context-entry.ts";
import { SEVERITIES } from "../../core/task/documents/review.ts";
import { MAX_DURATION_MS } from "../../core/schedule/duration.ts";
import { MAX_DEPENDENCIES } from "../../core/task/dependencies.ts";
import { DOCUMENT_KINDS } from "../../core/task/documents/document.ts";
import { PROOFS } from "../../core/task/checks/proof.ts";
import {
  CHOICE_SUBJECTS,
  COMPLEXITIES,
  NEXT_STEPS,
  PRIORITIES,
  QUEUE_REASONS,
  SIZES,
  TASK_STATUSES,
} from "../../core/task/task.ts";
import { MAX_VARIANTS, MIN_VARIANTS } from "../../core/task/variants.ts";
import { absolutePath, freeObject, idOrPrefix, requiredName, time, tokensSchema } from "./common.ts";
import { mergeOrderSchema } from "./merge-order.ts";
import { checkSchema, runSchema } from "./run.ts";

export const questionSchema = z
  .strictObject({
    id: z.string(),
    question: z.string(),
    context: z.string().nullable(),
    input: z.enum(["text", "choice", "boolean"]),
    options: z.array(z.string()),
    default: z.string().nullable(),
    deadline: time.nullable(),
  })
  .meta({ id: "Question" });

export const optionSchema = z
  .strictObject({ id: z.string(), title: z.string(), description: z.string(), recommended: z.boolean() })
  .meta({ id: "Option" });

export const waitingForSchema = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("approval"),
      since: time,
      plan_hash: z.string().nullable().meta({ description: "Hash of the document to approve." }),
      document: z.strictObject({ kind: z.enum(DOCUMENT_KINDS), version: z.int() }).nullable(),
      reasons: z.array(z.string()).meta({
        description: "Why the user's `auto_approve` does not allow a task with `auto_approve` to skip the approval.",
      }),
    }),
    z.strictObject({ kind: z.literal("answers"), since: time, questions: z.array(questionSchema) }),
    z.strictObject({
      kind: z.literal("choice"),
      since: time,
      reason: z.string(),
      options: z.array(optionSchema),
      about: z.enum(CHOICE_SUBJECTS).nullable().meta({
        description: "What the choice is about. Null for the options of an agent and the states of a pipeline.",
      }),
      needs_note: z.boolean().meta({ description: "Whether continuing needs a reason (`note`)." }),
      next_steps: z.array(z.enum(NEXT_STEPS)).meta({
        description: "The values of `then` that can go with the choice, the default first. Empty if it has no effect.",
      }),
    }),
    z.strictObject({ kind: z.literal("review"), since: time }),
    z.strictObject({
      kind: z.literal("merge"),
      since: time,
      problem: z
        .strictObject({
          reason: z.string(),
          retry_at: time.nullable().meta({ description: "When the engine tries again. Null if a person must decide." }),
        })
        .nullable()
        .meta({
          description:
            "Why a person is needed: the engine could not merge it by itself, or it no longer reacts to the forge by itself.",
        }),
    }),
  ])
  .meta({ id: "WaitingFor" });
export type WaitingForJson = z.output<typeof waitingForSchema>;

const contextEntrySchema = z
  .strictObject({
    kind: z.enum(CONTEXT_KINDS),
    source: z.enum(CONTEXT_SOURCES),
    summary: z.string(),
    data: freeObject,
    run: z.string().nullable(),
    at: time,
  })
  .meta({ id: "ContextEntry", description: "What later runs know about an earlier run or a person's feedback." });

export const documentRefSchema = z
  .strictObject({ kind: z.enum(DOCUMENT_KINDS), version: z.int(), hash: z.string(), run: z.string(), at: time })
  .meta({ id: "DocumentRef" });

export const documentSchema = documentRefSchema
  .extend({
    text: z.string().meta({ description: "The document as Markdown." }),
    content: freeObject.meta({ description: "The document as the agent reported it." }),
  })
  .meta({ id: "Document" });
export type DocumentJson = z.output<typeof documentSchema>;

export const artifactSchema = z
  .strictObject({
    type: z.enum(["branch", "commit", "diff", "change_request", "plan", "design", "report", "review", "file"]),
    label: z.string(),
    url: z.string().nullable(),
    data: freeObject,
  })
  .meta({ id: "Artifact" });

const agentChoiceSchema = z.strictObject({
  agent: z.string(),
  model: z.string().nullable().meta({ description: "Null: the model from the settings." }),
});

const reviewSchema = z
  .strictObject({
    verdict: z.enum(["approved", "changes_requested"]),
    commit: z.string().nullable().meta({ description: "The verdict counts for this commit only." }),
    is_current: z.boolean().meta({ description: "Whether that commit still is the task's `head_commit`." }),
    summary: z.string(),
    comments: z
      .array(
        z.strictObject({
          file: z.string().nullable(),
          line: z.int().nullable(),
          severity: z.enum(SEVERITIES),
          comment: z.string(),
          answer: z.string().nullable().meta({ description: "What the author says it did about the comment." }),
        }),
      )
      .meta({ description: "The most severe first." }),
    run: z.string().nullable().meta({ description: "The agent's run. Null for a person's review." }),
    by: z.string().nullable().meta({ description: "The person who reviewed. Null for an agent's review." }),
    at: time,
  })
  .meta({ id: "Review" });

export const exchangeSchema = z
  .strictObject({
    kind: z.enum(["answers", "choice"]),
    state: z.string(),
    asked: z.array(z.union([questionSchema, optionSchema])),
    reply: z.record(z.string(), z.string()).nullable(),
    assumed: z.array(z.string()).meta({ description: "Questions whose default was taken at the deadline." }),
    by: z.string().nullable(),
    at: time,
  })
  .meta({ id: "Exchange" });

export const taskSchema = z
  .strictObject({
    id: z.string(),
    short_id: z.string().meta({ description: "A prefix of the id that no other task has. Every request accepts it." }),
    title: z.string(),
    description: z.string().meta({ description: "Shortened to 500 characters in lists, with … at the end." }),
    project: z.string(),
    pipeline: z.string(),
    state: z.string().meta({ description: "Name of a state of the pipeline." }),
    status: z.enum(TASK_STATUSES),
    priority: z.enum(PRIORITIES),
    size: z.enum(SIZES).nullable(),
    complexity: z.enum(COMPLEXITIES).nullable(),
    tags: z.array(z.string()),
    plan: freeObject.nullable().meta({ description: "Null in lists." }),
    plan_hash: z.string().nullable(),
    documents: z.array(documentRefSchema).meta({ description: "Every version, oldest first." }),
    subtasks: z.array(z.strictObject({ title: z.string(), done: z.boolean() })),
    assumed: z
      .array(
        z.strictObject({ question: z.string(), text: z.string(), answer: z.string(), state: z.string(), at: time }),
      )
      .meta({
        description: "Answers that were taken by default at a deadline. Answer the question again to change one.",
      }),
    branch: z.string().nullable(),
    base_commit: z.string().nullable(),
    head_commit: z.string().nullable(),
    until: z.strictObject({ state: z.string(), reached: z.boolean() }).nullable().meta({
      description: "The task stops after this state. If it is `reached`, the task is paused or waits for a person.",
    }),
    after: z.array(z.string()).meta({ description: "Ids of the tasks that must succeed before this one starts." }),
    related: z.string().nullable().meta({ description: "Id of a task that the agents know about." }),
    issue: z
      .strictObject({ number: z.int(), url: z.string() })
      .nullable()
      .meta({ description: "The issue that the task was made from. Merging the change closes it." }),
    reviewed_request: z
      .strictObject({ number: z.int(), url: z.string(), author: z.string(), base: z.string() })
      .nullable()
      .meta({ description: "The change request of someone else that the task reviews." }),
    best_of: z
      .array(agentChoiceSchema)
      .meta({ description: "The agents that each implement the task. Empty for most tasks." }),
    variant_of: z.strictObject({ task: z.string(), number: z.int() }).nullable().meta({
      description: "Set for a variant: one of several implementations of another task. Lists leave variants out.",
    }),
    variants: z
      .array(
        z.strictObject({
          id: z.string(),
          short_id: z.string(),
          number: z.int(),
          ...agentChoiceSchema.shape,
          status: z.enum(TASK_STATUSES),
          outcome: z.string().nullable(),
          reason: z.string().nullable(),
          commit: z.string().nullable(),
          ref: z.string().nullable().meta({ description: "Keeps the commit in the project's rescue repository." }),
          cost_usd: z.number().nullable(),
          is_chosen: z.boolean(),
        }),
      )
      .meta({ description: "Also those of rounds before a retry. Their costs count for this task. Empty in lists." }),
    options: z.strictObject({
      agent: z.string().nullable(),
      model: z.string().nullable(),
      timeout_ms: z.int().nullable(),
      planning_timeout_ms: z.int().nullable(),
      budget_usd: z.number().nullable(),
      max_turns: z.int().nullable(),
      auto_approve: z.boolean(),
      allow_dirs: z.array(z.string()),
      design: z.boolean(),
      allow_overlap: z.boolean(),
      in_place: z.boolean().meta({ description: "Agents work directly in the project's directory." }),
    }),
    unchecked: z.array(z.string()).meta({
      description:
        "The project's checks that do not run as written, because they are not accepted and the task was submitted with `without_checks`.",
    }),
    submitted_by: z.string(),
    created_at: time,
    updated_at: time,
    finished_at: time.nullable(),
    duration_ms: z.int(),
    agent_ms: z.int().nullable().meta({ description: "Working time of agents, without pauses. Null in lists." }),
    outcome: z.string().nullable(),
    reason: z.string().nullable(),
    category: z.string().nullable(),
    is_fallback: z.boolean().meta({ description: "The category is not one of the day's, but a fallback." }),
    cost_usd: z
      .number()
      .nullable()
      .meta({ description: "Sum of the known costs. Null if no cost is known, and in lists." }),
    unknown_cost: z
      .int()
      .nullable()
      .meta({ description: "Number of ended agent runs with unknown cost. Null in lists." }),
    tokens: tokensSchema.nullable().meta({ description: "Null in lists." }),
    waiting_for: waitingForSchema.nullable(),
    queued_for: z
      .strictObject({
        kind: z.enum(QUEUE_REASONS),
        until: time.nullable(),
        reason: z.string().nullable(),
        task: z.string().nullable().meta({ description: "The task that works on the same files." }),
        files: z.array(z.string()).meta({ description: "The files that both plans name." }),
      })
      .nullable(),
    change_request: z
      .strictObject({
        number: z.int(),
        url: z.string(),
        state: z.enum(["open", "merged", "closed"]).meta({ description: "As last read from the forge." }),
        head: z.string().nullable().meta({ description: "The newest commit that the task knows." }),
        base: z.string().nullable().meta({ description: "The branch to merge into." }),
        ended_at: time.nullable().meta({ description: "When Nightshift saw that it was merged or closed." }),
      })
      .nullable(),
    context: z.array(contextEntrySchema),
    reviews: z.array(reviewSchema).meta({ description: "Oldest first. Empty in lists." }),
    conversation: z.array(exchangeSchema),
    runs: z.array(runSchema),
    checks: z.array(checkSchema),
    proof: z.enum(PROOFS).nullable().meta({
      description:
        "Whether the tests of a fix fail on the base commit and pass on the change, from the newest checks. Null if that was not examined, and in lists.",
    }),
    artifacts: z.array(artifactSchema),
    notifications: z.array(notificationSchema).meta({ description: "The newest 200, oldest first. Empty in lists." }),
    merge_order: mergeOrderSchema.nullable().meta({
      description:
        "Of all published branches of the project. Null if this task has none, in lists, and in answers to actions.",
    }),
  })
  .meta({
    id: "Task",
    description:
      "A piece of work that goes through a pipeline. In lists, context, reviews, conversation, runs, checks, artifacts and notifications are empty.",
  });
export type TaskJson = z.output<typeof taskSchema>;

export const maxTurns = z
  .int()
  .min(1)
  .max(100_000)
  .nullable()
  .default(null)
  .meta({ description: "Maximum number of turns in a run. Null: the limit of the role." });

const MAX_ALLOWED_DIRECTORIES = 100;

export const taskDraftSchema = z.strictObject({
  project: requiredName.nullable().meta({ description: "Null only with `url`: the project is found by it." }),
  pipeline: requiredName.default("staged"),
  title: z.string().min(1).max(1000).nullable().default(null),
  description: z.string().min(1).max(1_000_000).nullable().meta({ description: "Null only with `issue` or `url`." }),
  priority: z.enum(PRIORITIES).default("normal"),
  size: z.enum(SIZES).nullable().default(null),
  complexity: z.enum(COMPLEXITIES).nullable().default(null),
  tags: z.array(z.string().min(1).max(40)).max(20).default([]),
  agent: requiredName.nullable().default(null),
  model: requiredName.nullable().default(null),
  timeout_ms: z.int().positive().nullable().default(null),
  planning_timeout_ms: z.int().positive().max(MAX_DURATION_MS).nullable().default(null).meta({
    description: "Time limit for the runs that plan. Null: `timeout_ms`, or the limit of the pipeline.",
  }),
  budget_usd: z.number().positive().nullable().default(null),
  max_turns: maxTurns,
  auto_approve: z.boolean().default(false),
  allow_dirs: z.array(absolutePath).max(MAX_ALLOWED_DIRECTORIES).default([]).meta({
    description: "Directories that a staged task may write in addition to those of its plan.",
  }),
  design: z.boolean().default(false),
  without_checks: z.boolean().default(false).meta({
    description:
      "Start the task even if the project's checks are not accepted (see GET /projects/:name/trust) and do not run. Needs the right `approve`.",
  }),
  after: z
    .array(idOrPrefix)
    .max(MAX_DEPENDENCIES)
    .default([])
    .meta({ description: "Tasks that must succeed before this one starts." }),
  until: requiredName.nullable().default(null).meta({
    description: "Stop after this state of the pipeline, named by the state or by the role of its agent.",
  }),
  allow_overlap: z.boolean().default(false).meta({
    description: "Work at the same time as other tasks whose plans name the same files, instead of waiting for them.",
  }),
  in_place: z.boolean().default(false).meta({
    description:
      "Work directly in the project's directory instead of a workspace. Always so if the directory is not a git repository.",
  }),
  related: idOrPrefix
    .nullable()
    .default(null)
    .meta({ description: "A task that the agents should know about: its request, documents, summaries and change." }),
  issue: z
    .int()
    .positive()
    .max(1_000_000_000)
    .nullable()
    .default(null)
    .meta({ description: "An issue at the project's forge. Its title and text become part of the task." }),
  url: z.string().min(1).max(2_000).nullable().default(null).meta({
    description:
      "For the pipeline `review`: the address of a change request. With `auto_approve`, its review is posted without an approval.",
  }),
  best_of: z
    .array(z.strictObject({ agent: requiredName, model: requiredName.nullable().default(null) }))
    .min(MIN_VARIANTS)
    .max(MAX_VARIANTS)
    .nullable()
    .default(null)
    .meta({ description: "Agents that each implement the task. The best of their variants goes on." }),
  category: z
    .enum(CATEGORIES)
    .nullable()
    .default(null)
    .meta({ description: "For `improve`: the category. Null uses the categories configured for today." }),
  only: z
    .boolean()
    .default(false)
    .meta({ description: "For `improve`: do not try other categories if this one finds nothing." }),
});

export const appliedSchema = z
  .strictObject({
    task: z.string(),
    applied: z.boolean().meta({ description: "Whether the files without a `problem` are now as the task left them." }),
    files: z.array(
      z.strictObject({
        path: z.string(),
        change: z.enum(["created", "modified", "deleted", "unchanged"]),
        problem: z
          .string()
          .nullable()
          .meta({ description: "Why the file cannot be written, and nothing was written if `applied` is false." }),
      }),
    ),
  })
  .meta({ id: "AppliedChange" });
export type AppliedJson = z.output<typeof appliedSchema>;
