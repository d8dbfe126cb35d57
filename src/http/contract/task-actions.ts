import { z } from "zod";
import { SINGLE_ROLES } from "../../core/task/role.ts";
import { MERGE_METHODS } from "../../core/forge/merge.ts";
import { boundedRecord } from "../../core/settings/values.ts";
import { MAX_DEPENDENCIES } from "../../core/task/dependencies.ts";
import { SEVERITIES } from "../../core/task/documents/review.ts";
import { NEXT_STEPS } from "../../core/task/task.ts";
import { SHORT_HASH_LENGTH } from "../../core/text/short-hash.ts";
import { comment, idOrPrefix, requiredName, shortText } from "./common.ts";
import { route } from "./route.ts";
import { appliedSchema, maxTurns, taskSchema } from "./task.ts";

const byId = z.strictObject({ id: idOrPrefix });

/** As many as a reviewing agent may write. */
const MAX_COMMENTS = 200;

/** A person's action on a task. These routes differ only in their verb, right and body. */
function taskAction<const R extends "submit" | "approve", B extends z.ZodType | null>(
  right: R,
  summary: string,
  body: B,
) {
  return route({ summary, right, params: byId, body, ok: taskSchema });
}

export const TASK_ACTIONS = {
  "POST /tasks/:id/approve": taskAction(
    "approve",
    "Approve the plan with this hash, or with at least its first 12 characters.",
    z.strictObject({
      plan_hash: shortText.nullable().default(null),
      plan: boundedRecord(shortText, z.unknown(), 50).nullable().default(null).meta({
        description: "An edited plan of a staged task, which is approved instead of the one with this hash.",
      }),
    }),
  ),
  "POST /tasks/:id/reject": taskAction(
    "approve",
    "Reject the plan or change that the task waits with.",
    z.strictObject({ reason: comment.nullable().default(null) }),
  ),
  "POST /tasks/:id/revise": taskAction(
    "approve",
    "Request a new plan, with feedback.",
    z.strictObject({ feedback: z.string().min(1).max(100_000) }),
  ),
  "POST /tasks/:id/answer": taskAction(
    "approve",
    "Answer the agent's questions, by question id.",
    z.strictObject({ answers: boundedRecord(shortText, comment, 20) }),
  ),
  "POST /tasks/:id/choose": taskAction(
    "approve",
    "Choose one of the proposed options.",
    z.strictObject({
      option: requiredName,
      note: comment.nullable().default(null),
      then: z.enum(NEXT_STEPS).nullable().default(null).meta({
        description: "For a fix that an investigation proposes: plan it first (the default) or implement it.",
      }),
    }),
  ),
  "POST /tasks/:id/comments": taskAction(
    "approve",
    "Send review comments on a change that waits for its review or merge. The task goes back to its author with them.",
    z.strictObject({
      commit: shortText.min(SHORT_HASH_LENGTH).meta({
        description:
          "The `head_commit` that was shown, or at least its first 12 characters. 409 if the change moved on.",
      }),
      summary: comment
        .default("")
        .meta({ description: "About the change as a whole. May be empty if there are comments." }),
      comments: z
        .array(
          z.strictObject({
            file: z.string().min(1).max(4096).nullable().default(null).meta({
              description: "Null: about the change as a whole. The file need not be part of the change.",
            }),
            line: z.int().min(1).max(10_000_000).nullable().default(null).meta({ description: "In the new file." }),
            severity: z.enum(SEVERITIES).default("suggestion"),
            comment: comment.min(1),
          }),
        )
        .max(MAX_COMMENTS)
        .default([]),
    }),
  ),
  "POST /tasks/:id/merge": taskAction(
    "approve",
    "Merge the reviewed commit: at the forge, or without one into the remote's default branch.",
    z.strictObject({
      method: z.enum(MERGE_METHODS).nullable().default(null).meta({
        description: "Null uses what the project allows, squash if possible. Without a forge: fast-forward.",
      }),
      note: comment.nullable().default(null).meta({
        description:
          "Why it is merged. Required if the review did not approve the change. Posted on the change request.",
      }),
    }),
  ),
  "POST /tasks/:id/apply": route({
    summary:
      "Bring the files of an ended task over to the project's checkout. Without `force`, nothing is overwritten.",
    right: "approve",
    params: byId,
    body: z.strictObject({
      force: z.boolean().default(false).meta({
        description:
          "Overwrite files that were changed since, leave out files that cannot be written, and write files with secrets.",
      }),
      dry_run: z.boolean().default(false).meta({ description: "Only report what would be written." }),
    }),
    ok: appliedSchema,
  }),
  "POST /tasks/:id/pause": taskAction("submit", "Pause the task and suspend its processes.", null),
  "POST /tasks/:id/resume": taskAction("submit", "Resume a paused task.", null),
  "POST /tasks/:id/cancel": taskAction(
    "submit",
    "End the task: ask the agent to stop, then end its process tree.",
    null,
  ),
  "POST /tasks/:id/kill": taskAction("submit", "End the task and its process tree immediately.", null),
  "POST /tasks/:id/retry": taskAction(
    "submit",
    "Retry from the state that failed, or from another state. The other fields change the task's options.",
    z.strictObject({
      from: requiredName.nullable().default(null),
      agent: requiredName.nullable().default(null),
      model: requiredName.nullable().default(null),
      timeout_ms: z.int().positive().nullable().default(null),
      max_turns: maxTurns,
      budget_usd: z.number().positive().nullable().default(null),
    }),
  ),

  "POST /tasks/:id/run": taskAction(
    "submit",
    "Run one role on a task that waits for a person or has ended. The task stays where it is; its documents and reviews have the result.",
    z.strictObject({ role: z.enum(SINGLE_ROLES) }),
  ),

  "POST /tasks/:id/follow-up": taskAction(
    "submit",
    "Continue a task that has ended or waits for its merge. If its change was merged, returns a new task that knows it.",
    z.strictObject({
      text: z.string().min(1).max(100_000),
      after: z
        .array(idOrPrefix)
        .max(MAX_DEPENDENCIES)
        .default([])
        .meta({ description: "Tasks that must succeed before the task continues." }),
    }),
  ),
};
