import { verdictFor } from "../../core/task/documents/review.ts";
import { readPublication, type Publication } from "../../core/task/publication.ts";
import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Task } from "../../core/task/task.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Project } from "../../ports/store.ts";
import { pipelineOf } from "../pipeline-of.ts";
import type { EnginePorts } from "../ports.ts";

/** A task that waits for a merge. */
export interface MergeContext {
  readonly ports: EnginePorts;
  readonly task: Task;
  readonly project: Project;
  readonly settings: Settings;
  readonly pipeline: Pipeline;
}

export interface MergeCandidate extends Publication {
  /** Why the review does not vouch for it. Null if a reviewer approved exactly this work, or if the pipeline has no review. */
  readonly unreviewed: string | null;
  /** Null if the project had no forge when the change was published. */
  readonly request: { readonly number: number; readonly url: string } | null;
}

export async function loadMergeContext(
  ports: EnginePorts,
  task: Task,
  { project, settings }: Pick<MergeContext, "project" | "settings">,
): Promise<MergeContext> {
  return { ports, task, project, settings, pipeline: await pipelineOf(ports, task) };
}

/** Returns the published change. Throws a UserError if something else must happen before it can be merged. */
export async function findCandidate({ ports, task, pipeline }: MergeContext): Promise<MergeCandidate> {
  const [runs, requests] = await Promise.all([
    ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 }),
    ports.store.tasks.listChangeRequests([task.id]),
  ]);
  const publication = readPublication(runs, task.headCommit);
  if (typeof publication === "string")
    throw new UserError(
      "conflict",
      `${task.id} cannot be merged: ${publication}.`,
      `Run "nightshift cancel ${task.id}" and then "nightshift retry ${task.id} --from checking" to check and publish it again.`,
    );
  const unreviewed = hasReview(pipeline) ? findReviewProblem(task) : null;
  return { ...publication, unreviewed, request: requests.get(task.id) ?? null };
}

function findReviewProblem(task: Task): string | null {
  const review = verdictFor(task, task.headCommit);
  if (review === null) return "no reviewer judged this commit";
  return review.verdict === "approved" ? null : "the last review requests changes";
}

function hasReview({ states }: Pipeline): boolean {
  return Object.values(states).some(({ step }) => step.kind === "agent" && step.role === "review");
}
