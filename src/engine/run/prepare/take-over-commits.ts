import { shortHash } from "../../../core/text/short-hash.ts";
import { waitsForMerge } from "../../../core/pipeline/pipeline-graph.ts";
import { CHANGING_ROLES } from "../../../core/task/role.ts";
import type { RemoteBranch } from "../../../ports/workspace/branches.ts";
import { outcomeOf, StepEnd, type StepContext, type Work } from "../step-context.ts";

interface TakenOver {
  readonly work: Work;
  /** Null if the branch has no new commits of people. */
  readonly note: string | null;
  /** The files contain conflict markers that the agent of this run resolves. */
  readonly isMarked: boolean;
}

/**
 * Takes over commits that people pushed to the task's branch: the task's unpublished work is put on top of them. If the branch
 * no longer contains what the task published, a person decides first.
 */
export async function takeOverCommits(context: StepContext, work: Work, base: string): Promise<TakenOver> {
  const { ports, project, task, pipeline } = context;
  const unchanged: TakenOver = { work, note: null, isMarked: false };
  const published = work.published ?? null;
  if (published === null || task.branch === null || !waitsForMerge(pipeline)) return unchanged;
  const remote = await ports.workspaces.compareBranch({
    project: project.name,
    task: task.id,
    branch: task.branch,
    published: published.head,
    base,
    workBase: work.baseCommit,
  });
  if (remote === null || remote.relation === "same") return unchanged;
  const taken = { ...published, head: remote.commit, people: remote.commit, decision: null };
  const at = `${task.branch} at ${shortHash(remote.commit)}`;
  if (remote.relation === "rewritten") {
    if (readDecision(context, remote) === "restore") return unchanged;
    const baseCommit = remote.mergeBase ?? work.baseCommit;
    const replaced = { baseCommit, headCommit: remote.commit, published: taken };
    return { work: replaced, note: `continues with the rewritten branch ${at}`, isMarked: false };
  }
  const summary = `the task's work conflicts with commits of people on ${task.branch}`;
  const moved = await moveWork(context, { work, oldBase: published.head, newBase: remote.commit, summary });
  return {
    work: { baseCommit: remote.base, headCommit: moved.commit, published: taken },
    note: `takes over the commits of people on ${at}`,
    isMarked: moved.isMarked,
  };
}

function readDecision({ task }: StepContext, remote: RemoteBranch): "take_over" | "restore" {
  const decision = task.published?.decision;
  if (decision?.commit === remote.commit) return decision.choice;
  throw new StepEnd(
    outcomeOf(
      "branch_rewritten",
      `${task.branch ?? "the branch"} was rewritten: it is at ${shortHash(remote.commit)}, which does not contain the task's commits.`,
      { commit: remote.commit },
    ),
  );
}

interface MoveParams {
  readonly work: Work;
  readonly oldBase: string;
  readonly newBase: string;
  /** Says what the work conflicts with. */
  readonly summary: string;
}

/** An agent that was started because of a conflict gets files with conflict markers. All other runs end as `conflict`. */
export async function moveWork(
  context: StepContext,
  { work, oldBase, newBase, summary }: MoveParams,
): Promise<{ readonly commit: string; readonly isMarked: boolean }> {
  const { ports, project, task, run } = context;
  const params = { project: project.name, task: task.id, commit: work.headCommit, oldBase, newBase, at: run.createdAt };
  const commit = await ports.workspaces.rebase(params);
  if (commit !== null) return { commit, isMarked: false };
  const marked = canResolve(context) ? await ports.workspaces.rebase({ ...params, keepConflicts: true }) : null;
  if (marked === null) throw new StepEnd(outcomeOf("conflict", summary, { base: newBase }));
  return { commit: marked, isMarked: true };
}

function canResolve({ run, state }: StepContext): boolean {
  const changesFiles = run.role !== null && CHANGING_ROLES.includes(run.role);
  return changesFiles && run.trigger?.kind === "conflict" && state.workspace !== "fresh";
}
