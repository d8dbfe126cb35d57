import { splitPatch } from "../../core/change/split-patch.ts";
import type { Risk } from "../../core/report/risk.ts";
import { reviewsOf } from "../../core/task/documents/review.ts";
import type { Task } from "../../core/task/task.ts";
import { UserError } from "../../core/text/errors.ts";
import { shortHash } from "../../core/text/short-hash.ts";
import type { RunFiles } from "../../ports/run-files.ts";
import type { Workspaces } from "../../ports/workspace.ts";
import type { FileStat } from "../../ports/workspace/diff-stats.ts";
import { findingsIn, type Shown } from "../../policy/diff/describe-findings.ts";
import type { RedactPorts } from "../ports.ts";
import { assessChange, type ChangePorts, DIFF_POLICY, listChangedFiles, listNewestChecks } from "./read-change.ts";

/** The change of a task, for a person who decides about it. */
export interface TaskDiff {
  /** The run that made the change. Null if there is no change yet. */
  readonly run: string | null;
  readonly patch: string;
  /** The patch is too long to be kept whole. */
  readonly cut: boolean;
  readonly files: readonly FileStat[];
  /** What the built-in review found in the newest version. */
  readonly findings: readonly Shown[];
  readonly risk: Risk;
  readonly readingMinutes: number;
  /** The newest commit with a verdict that is not the head. Null if there is none, or if it is no longer kept. */
  readonly reviewedCommit: string | null;
}

export type DiffPorts = ChangePorts &
  RedactPorts & {
    readonly runFiles: Pick<RunFiles, "readDiff">;
    readonly workspaces: Pick<Workspaces, "diff">;
  };

const MAX_RUNS = 1000;
const MAX_DIFF_BYTES = 20_000_000;
const CUT = /\n\[cut after \d+ bytes\]\n$/;

/** With `since`, only what changed after that commit in the files of the change. */
export async function readDiff(ports: DiffPorts, task: Task, since: string | null): Promise<TaskDiff> {
  const kept = await readKeptDiff(ports, task);
  const artifacts = await ports.store.tasks.listArtifacts(task.id);
  const checks = await listNewestChecks(ports, task);
  const known = listChangedFiles(artifacts);
  const whole = kept !== null && known.length > 0 ? known : listFiles(kept?.patch ?? "");
  const { risk, readingMinutes } = await assessChange(ports, task, { artifacts, files: whole, checks });
  const paths = whole.map(({ path }) => path);
  const about = {
    run: kept?.run ?? null,
    findings: checks
      .filter(({ name }) => name === DIFF_POLICY || name === "no-secrets")
      .flatMap(({ tail }) => findingsIn(tail, paths)),
    risk,
    readingMinutes,
    reviewedCommit: findReviewedCommit(task),
  };
  if (since === null || kept === null)
    return { ...about, patch: (kept?.patch ?? "").replace(CUT, "\n"), cut: CUT.test(kept?.patch ?? ""), files: whole };
  return { ...about, ...(await readSince(ports, task, { since, paths: new Set(paths) })) };
}

/** Null for an ended task, because its git directory is removed. */
function findReviewedCommit(task: Task): string | null {
  if (task.finishedAt !== null) return null;
  return reviewsOf(task).findLast(({ commit }) => commit !== null && commit !== task.headCommit)?.commit ?? null;
}

async function readKeptDiff(
  { store, runFiles }: Pick<DiffPorts, "store" | "runFiles">,
  { id }: Task,
): Promise<{ readonly run: string; readonly patch: string } | null> {
  const runs = await store.tasks.listRuns({ task: id, status: null, project: null, limit: MAX_RUNS });
  for (const run of runs.toReversed()) {
    const patch = await runFiles.readDiff(run.id);
    if (patch !== null) return { run: run.id, patch };
  }
  return null;
}

interface SinceParams {
  readonly since: string;
  /** The files of the whole change. Others differ only because the base moved on. */
  readonly paths: ReadonlySet<string>;
}

async function readSince(
  { workspaces, secrets }: Pick<DiffPorts, "workspaces" | "secrets">,
  task: Task,
  { since, paths }: SinceParams,
): Promise<Pick<TaskDiff, "patch" | "cut" | "files">> {
  const reviewed = reviewsOf(task).some(({ commit }) => commit === since);
  if (!reviewed || task.headCommit === null)
    throw new UserError("not_found", `No review of ${task.id} is about commit ${shortHash(since)}.`);
  if (task.finishedAt !== null)
    throw new UserError("unavailable", "The task has ended, so its reviewed commits are no longer kept.");
  const range = { project: task.project, task: task.id, from: since, to: task.headCommit };
  const { patch, cut } = await workspaces.diff({ ...range, maxBytes: MAX_DIFF_BYTES });
  const files = splitPatch(secrets.redact(patch)).filter(({ path }) => paths.has(path));
  return { patch: files.map(({ text }) => text).join(""), cut, files: files.map(withoutText) };
}

function listFiles(patch: string): readonly FileStat[] {
  return splitPatch(patch).map(withoutText);
}

function withoutText({ path, change, insertions, deletions, binary }: FileStat): FileStat {
  return { path, change, insertions, deletions, binary };
}
