import { readAddedLines } from "../../../core/change/added-lines.ts";
import { draftReview } from "../../../core/forge/review-text.ts";
import type { Outcome } from "../../../core/outcomes/outcome.ts";
import type { Artifact } from "../../../core/task/task.ts";
import { readTask } from "../../transact.ts";
import { describeError } from "../explain-error.ts";
import type { StepContext, Work } from "../step-context.ts";

export const MAX_DIFF_BYTES = 5_000_000;

/**
 * Posts a reviewer's verdict on the task's change request, if there is one. It happens before the run's result is committed, and
 * a repetition after a crash finds what was posted. Returns why it failed, as a sentence: the verdict counts in any case.
 */
export async function postReview(context: StepContext, outcome: Outcome, work: Work): Promise<readonly string[]> {
  if (outcome.name !== "approved" && outcome.name !== "changes_requested") return [];
  const { ports, task, run, project, settings } = context;
  try {
    const request = findPublishedRequest(await ports.store.tasks.listArtifacts(task.id));
    const forge = request === null || settings.forge?.reviews === "off" ? null : ports.forges.open(project, settings);
    // If the branch moved meanwhile, the verdict does not count, and the new commit is reviewed instead.
    if (request === null || forge === null || (await readTask(ports, task.id)).headCommit !== work.headCommit)
      return [];
    const range = { from: work.baseCommit, to: work.headCommit, maxBytes: MAX_DIFF_BYTES };
    const { patch } = await ports.workspaces.diff({ project: project.name, task: task.id, ...range });
    const { summary, comments } = outcome.payload;
    const draft = draftReview({
      key: run.id,
      commit: request.commit,
      verdict: outcome.name,
      summary,
      comments,
      addedLines: readAddedLines(patch),
    });
    await forge.postReview(request.number, ports.secrets.redact(draft));
    return [];
  } catch (error) {
    return [`The review could not be posted on the change request: ${describeError(error)}`];
  }
}

/** The change request, and the commit that was pushed for it. Publishing squashes, so it is not the task's own commit. */
export function findPublishedRequest(artifacts: readonly Artifact[]): PublishedRequest | null {
  const request = artifacts.findLast(({ type }) => type === "change_request");
  const number = request?.data["number"];
  const commit = artifacts.findLast(({ type }) => type === "commit")?.data["commit"];
  return typeof number === "number" && typeof commit === "string"
    ? { number, commit, url: request?.url ?? null }
    : null;
}

interface PublishedRequest {
  readonly number: number;
  readonly commit: string;
  readonly url: string | null;
}
