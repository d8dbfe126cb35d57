import { entryOf, type Outcome } from "../../../core/outcomes/outcome.ts";
import { KEEPING_ROLES, type Role } from "../../../core/task/role.ts";
import type { Artifact } from "../../../core/task/task.ts";
import type { DiffStats } from "../../../ports/workspace/diff-stats.ts";
import type { StepContext, Work } from "../step-context.ts";

export interface CollectedWork {
  /** The commit with this run's changes. Null if it changed no files. */
  readonly commit: string | null;
  /** The task's commits after this run. */
  readonly work: Work;
  /** The task as a whole changes nothing. */
  readonly isEmpty: boolean;
  /** The outcome discards what the run did in the workspace. */
  readonly isDiscarded: boolean;
  /** The files that the task changes as a whole, relative to the repository. */
  readonly changedPaths: ReadonlySet<string>;
  readonly artifacts: readonly Artifact[];
  /** One message per artifact that could not be kept. */
  readonly failures: readonly string[];
}

const MAX_DIFF_BYTES = 20_000_000;

/** Commits the files of a run as the task's work. Changes by a role that may not change files are ignored. */
export async function collectWork(
  context: StepContext,
  work: Work,
  { role, outcome }: { readonly role: Role; readonly outcome: Outcome },
): Promise<CollectedWork> {
  if (!KEEPING_ROLES.includes(role)) return keepNothing(work);
  const failures: string[] = [];
  const commit = await commitFiles(context, outcome, failures);
  const isDiscarded = entryOf(outcome.name).discardsWork;
  const headCommit = isDiscarded || commit === null ? work.headCommit : commit;
  const stats = await storeDiff(context, work.baseCommit, commit ?? work.headCommit).catch((error: unknown) => {
    // The diff is only a record for people, so a failure does not affect the change.
    context.ports.log.warn("the diff could not be kept", { run: context.run.id, error: String(error) });
    failures.push(`The diff could not be kept: ${messageOf(error)}`);
    return null;
  });
  return {
    commit,
    work: { ...work, headCommit },
    isEmpty: stats === null ? headCommit === work.baseCommit : stats.files.length === 0,
    isDiscarded,
    changedPaths: new Set(stats?.files.map(({ path }) => path)),
    artifacts: stats === null || stats.files.length === 0 || isDiscarded ? [] : [diffArtifact(stats)],
    failures,
  };
}

function keepNothing(work: Work): CollectedWork {
  return {
    commit: null,
    work,
    isEmpty: false,
    isDiscarded: true,
    changedPaths: new Set(),
    artifacts: [],
    failures: [],
  };
}

async function commitFiles(
  { ports, task, run, project }: StepContext,
  outcome: Outcome,
  failures: string[],
): Promise<string | null> {
  try {
    const { commit } = await ports.workspaces.collect({
      project: project.name,
      task: task.id,
      name: run.id,
      message: `${task.title}\n\n${run.role ?? run.step}, attempt ${run.attempt}`,
      at: run.createdAt,
    });
    return commit;
  } catch (error) {
    // The agent may have deleted its workspace. If its run failed, report that failure instead.
    if (outcome.name === "implemented" || outcome.name === "completed") throw error;
    ports.log.warn("the run's files could not be collected", { run: run.id, error: String(error) });
    failures.push(`The run's files could not be collected: ${messageOf(error)}`);
    return null;
  }
}

async function storeDiff({ ports, task, run, project }: StepContext, from: string, to: string): Promise<DiffStats> {
  if (from === to) return { files: [], insertions: 0, deletions: 0 };
  const diff = await ports.workspaces.diff({
    project: project.name,
    task: task.id,
    from,
    to,
    maxBytes: MAX_DIFF_BYTES,
  });
  const patch = ports.secrets.redact(diff.patch);
  await ports.runFiles.keepDiff(run.id, diff.cut ? `${patch}\n[cut after ${MAX_DIFF_BYTES} bytes]\n` : patch);
  return diff.stats;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function diffArtifact(stats: DiffStats): Artifact {
  return {
    type: "diff",
    label: `${stats.files.length} ${stats.files.length === 1 ? "file" : "files"}, +${stats.insertions} −${stats.deletions}`,
    url: null,
    data: { files: stats.files, insertions: stats.insertions, deletions: stats.deletions },
  };
}
