import { readAddedLines } from "../../../core/change/added-lines.ts";
import { draftReview, type ReviewDraft } from "../../../core/forge/review-text.ts";
import { verdictFor, type Review } from "../../../core/task/documents/review.ts";
import type { Artifact, ReviewedRequest } from "../../../core/task/task.ts";
import { shortHash } from "../../../core/text/short-hash.ts";
import { readTask } from "../../transact.ts";
import { fetchRequest, readOpenRequest, requireForge } from "../prepare/fetch-request.ts";
import { outcomeOf, resultOf, StepEnd, type StepContext, type StepResult } from "../step-context.ts";

const MAX_DIFF_BYTES = 5_000_000;

/**
 * Posts the review of somebody else's change request. Only the review of the newest commit is posted: if the author pushed
 * meanwhile, a person decides. The forge finds a review that was posted before, so the step can be repeated after a crash.
 */
export async function runPostStep(context: StepContext): Promise<StepResult> {
  const { ports, task } = context;
  const { request } = task.options;
  if (request === undefined) throw new StepEnd("agent_error", "the task has no change request to post a review on");
  const forge = requireForge(context);
  const { headCommit: newest } = await readOpenRequest(forge, request);
  if (newest !== task.headCommit) return describeMoved(context, request, newest);
  const review = verdictFor(task, newest);
  if (review === null) throw new StepEnd("agent_error", `there is no review of ${shortHash(newest)} to post`);
  const draft = await draftFor(context, request, review);
  if ((await readTask(ports, task.id)).order !== null)
    return resultOf(context, outcomeOf("cancel", "cancelled before the review was posted"));
  await forge.postReview(request.number, ports.secrets.redact(draft));
  ports.hooks.passCheckpoint("review.posted");
  const summary = `posted the review of ${shortHash(newest)} on ${request.url}`;
  return resultOf(context, outcomeOf("posted", summary, { url: request.url, commit: newest }), {
    artifacts: [toArtifact(request, draft)],
  });
}

/** Without commits, the next step fetches the newest ones. */
function describeMoved(context: StepContext, { url }: ReviewedRequest, newest: string): StepResult {
  const reviewed = context.task.headCommit;
  const summary =
    `${url} is at ${shortHash(newest)} now, but ${reviewed === null ? "no commit" : shortHash(reviewed)} was reviewed. ` +
    "Nothing was posted. Choose whether to review the newest commit.";
  const work = { baseCommit: null, headCommit: null, published: null };
  return resultOf(context, outcomeOf("branch_updated", summary, { commit: newest }), { work });
}

async function draftFor(context: StepContext, request: ReviewedRequest, review: Review): Promise<ReviewDraft> {
  const { ports, task, run, project } = context;
  // Again, because the files of a task that was retried may have been removed.
  const { commit, mergeBase } = await fetchRequest(context, request);
  const range = { from: mergeBase, to: commit, maxBytes: MAX_DIFF_BYTES };
  const { patch } = await ports.workspaces.diff({ project: project.name, task: task.id, ...range });
  return draftReview({
    ...review,
    key: review.run ?? run.id,
    commit,
    isConfirmed: !task.options.autoApprove,
    addedLines: readAddedLines(patch),
  });
}

function toArtifact({ url, number }: ReviewedRequest, { commit, comments }: ReviewDraft): Artifact {
  const label = `review of ${shortHash(commit)}`;
  return { type: "review", label, url, data: { number, commit, line_comments: comments.length } };
}
