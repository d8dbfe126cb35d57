import { readAddedLines } from "../../core/change/added-lines.ts";
import { draftReview } from "../../core/forge/review-text.ts";
import { describeTask } from "../../core/notices/notice.ts";
import type { Outcome } from "../../core/outcomes/outcome.ts";
import { advance } from "../../core/pipeline/advance/advance.ts";
import { REVIEWED_WAITS, takesComments } from "../../core/pipeline/possible-actions.ts";
import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import { sortComments, type ReviewComment } from "../../core/task/documents/review.ts";
import type { Actor } from "../../core/task/event.ts";
import type { Task } from "../../core/task/task.ts";
import { UserError } from "../../core/text/errors.ts";
import { SHORT_HASH_LENGTH, shortHash } from "../../core/text/short-hash.ts";
import { terminalText } from "../../core/text/terminal-text.ts";
import type { NewNotice } from "../../ports/store.ts";
import { advanceParams } from "../advance-params.ts";
import { commentsNotice } from "../deliver/forge-channels.ts";
import { pipelineOf, policyOf } from "../pipeline-of.ts";
import type { EnginePorts } from "../ports.ts";
import { findPublishedRequest, MAX_DIFF_BYTES } from "../run/agent/post-review.ts";
import { outcomeOf, redactOutcome } from "../run/step-context.ts";
import { transact, withTaskLock, type Decision } from "../transact.ts";
import type { CommentsDraft } from "./commands-contract.ts";
import { decisionEvent, describeActions, requireWaiting } from "./decide.ts";
import { requireProject } from "./require/require-project.ts";

type Verdict = Outcome<"changes_requested">;

/**
 * Sends a change that waits for its review or merge back to its author with a person's comments. They are bound to the commit
 * that the person saw. A request with the same key has one effect, also if the daemon died before it could answer.
 */
export function commentOnChange(
  ports: EnginePorts,
  id: string,
  { actor, key = null, ...draft }: CommentsDraft & { readonly actor: Actor },
): Promise<Task> {
  // The lock waits for a merge that is in progress.
  return withTaskLock(ports, id, async () => {
    const { task } = await transact(ports, id, null, async (before) => {
      const request = key === null ? null : ports.digest(`comments ${key}`);
      const isKnown = request !== null && before.context.some(({ data }) => data["request"] === request);
      if (isKnown) return { advance: { task: before, events: [], next: null } };
      return requestChanges(ports, before, { draft, actor, request });
    });
    ports.hooks.passCheckpoint("comments.committed");
    return task;
  });
}

interface Given {
  readonly draft: CommentsDraft;
  readonly actor: Actor;
  /** Identifies the request, so that it is found again. */
  readonly request: string | null;
}

async function requestChanges(ports: EnginePorts, before: Task, { draft, actor, request }: Given): Promise<Decision> {
  requireWaiting(before, REVIEWED_WAITS, "comment on");
  const pipeline = await pipelineOf(ports, before);
  requireEdge(before, pipeline);
  await requireOpenRequest(ports, before);
  const outcome = redactOutcome(ports, toVerdict(before, draft));
  const settings = await ports.projects.settings(await requireProject(ports.store, before.project));
  const at = ports.clock.now();
  const advanced = advance(advanceParams(ports, { pipeline, settings, task: before, outcome, actor, at }));
  return {
    advance: { ...advanced, task: markRequest(advanced.task, request) },
    events: [decisionEvent(before, outcome, actor, at)],
    notices: await notifyForge(ports, advanced.task, { outcome, by: actor.name, at }),
  };
}

/** The newest entry of the context is this review. */
function markRequest(task: Task, request: string | null): Task {
  if (request === null) return task;
  const last = task.context.length - 1;
  const context = task.context.map((entry, index) =>
    index === last ? { ...entry, data: { ...entry.data, request } } : entry,
  );
  return { ...task, context };
}

function requireEdge(task: Task, pipeline: Pipeline): void {
  if (takesComments(pipeline, task.state)) return;
  throw new UserError(
    "conflict",
    `The pipeline "${pipeline.name}" of ${task.id} takes no review comments in "${task.state}": it has no target for changes_requested there.`,
    `Say what to change with nightshift follow-up ${task.id} "…". ${describeActions(task, { takesComments: false })}`,
  );
}

/** A request that ended at the forge is read back soon, and then the task ends. */
async function requireOpenRequest({ store }: Pick<EnginePorts, "store">, { id }: Task): Promise<void> {
  const request = (await store.tasks.listChangeRequests([id])).get(id);
  if (request === undefined || request.state === "open") return;
  throw new UserError(
    "conflict",
    `The change of ${id} was ${request.state} at the forge already.`,
    `Continue with nightshift follow-up ${id} "…".`,
  );
}

function toVerdict({ id, headCommit }: Task, { commit, summary, comments }: CommentsDraft): Verdict {
  if (headCommit === null || commit.length < SHORT_HASH_LENGTH || !headCommit.startsWith(commit.toLowerCase()))
    throw new UserError(
      "conflict",
      `The change of ${id} moved on since it was shown: your comments are about ${shortHash(commit)}, but it is at ${headCommit === null ? "no commit" : shortHash(headCommit)} now. Nothing was sent.`,
      `Look at it again with nightshift diff ${id}, then send the comments for that commit.`,
    );
  const checked = sortComments(comments).map(checkComment);
  const said = terminalText(summary).trim();
  if (said === "" && checked.length === 0)
    throw new UserError("invalid", "The review is empty.", "Say what should change, as a whole or at a line.");
  const count = checked.length === 1 ? "1 comment" : `${checked.length} comments`;
  return outcomeOf("changes_requested", said === "" ? `${count} on the change.` : said, {
    summary: said,
    comments: checked,
    commit: headCommit,
  });
}

/** A file need not be part of the change, because something may be missing. */
function checkComment({ file, line, severity, comment }: ReviewComment): Verdict["payload"]["comments"][number] {
  const text = terminalText(comment).trim();
  if (text === "") throw new UserError("invalid", "A comment is empty.", "Write something in it, or leave it out.");
  if (line !== undefined && file === undefined)
    throw new UserError("invalid", `The comment on line ${line} names no file.`, "Name the file of the line.");
  return { file, line, severity, comment: text };
}

interface Posted {
  readonly outcome: Verdict;
  readonly by: string;
  readonly at: number;
}

/** The outbox entry that posts the review on the task's change request. None if the project does not want that. */
async function notifyForge(ports: EnginePorts, task: Task, { outcome, by, at }: Posted): Promise<readonly NewNotice[]> {
  const project = await requireProject(ports.store, task.project);
  const settings = await ports.projects.settings(project);
  const request = findPublishedRequest(await ports.store.tasks.listArtifacts(task.id));
  if (request === null || settings.forge === null || settings.forge.reviews === "off") return [];
  const review = draftReview({
    key: `${task.id}-${at}`,
    commit: request.commit,
    verdict: outcome.name,
    summary: outcome.summary,
    comments: outcome.payload.comments,
    addedLines: readAddedLines(await readPatch(ports, task)),
    by,
  });
  const { report } = await policyOf(ports, task);
  const data = describeTask(task, { report, runs: [], url: request.url, at });
  return [commentsNotice(task, { review: ports.secrets.redact(review), data: ports.secrets.redact(data), at })];
}

/** Without the patch, all comments become part of the review's text. */
async function readPatch({ workspaces, log }: EnginePorts, task: Task): Promise<string> {
  const { project, id, baseCommit, headCommit } = task;
  if (baseCommit === null || headCommit === null) return "";
  try {
    const range = { from: baseCommit, to: headCommit, maxBytes: MAX_DIFF_BYTES };
    return (await workspaces.diff({ project, task: id, ...range })).patch;
  } catch (error) {
    log.warn("the change could not be read for a review's line comments", { task: id, error: String(error) });
    return "";
  }
}
