import { randomBytes } from "node:crypto";
import { rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import type { TakeOverParams } from "../../../ports/workspace.ts";
import { mirrorPath, rescuePath, taskPaths } from "../context.ts";
import type { GitContext } from "../context.ts";
import { exists, repairGitDir, writeGitDir } from "../git-dir.ts";
import { git, gitFailure, hasCommit } from "../git.ts";
import { checkCommit, checkName } from "../names.ts";
import { runGitRetryingLockedRefs } from "../mirror/retry-locked-refs.ts";
import { removeTree } from "./remove-tree.ts";
import { isCode } from "../mirror/locks.ts";
import { rescueDirParams } from "../mirror/repair.ts";

/**
 * Keeps a commit after its task was removed, in a separate git directory of the project that no run can read: unpublished
 * work may contain what a check rejected, for example a secret.
 */
export async function rescueCommit(context: GitContext, params: KeptCommit): Promise<void> {
  await keepCommit(context, params, rescueRef(params.task));
}

/** Keeps a commit that its task no longer builds on. Every commit has its own ref. */
export async function keepSuperseded(context: GitContext, params: KeptCommit): Promise<void> {
  const { task, commit } = params;
  await keepCommit(context, params, `refs/nightshift/superseded/${checkName(task)}/${checkCommit(commit)}`);
}

interface KeptCommit {
  readonly project: string;
  readonly task: string;
  readonly commit: string;
}

async function keepCommit(context: GitContext, params: KeptCommit, ref: string): Promise<void> {
  const { engine } = taskPaths(context, params.task);
  if (!(await hasCommit(engine, checkCommit(params.commit)))) {
    context.log.warn("the work of a task is lost: its commit cannot be read", { ...params });
    return;
  }
  const rescue = await createRescueDir(mirrorPath(context, params.project));
  const args = ["push", "--quiet", "--force", "--", rescue, `${checkCommit(params.commit)}:${ref}`];
  const call = { gitDir: engine, args };
  const result = await runGitRetryingLockedRefs(rescue, () => call);
  if (result.code !== 0) throw gitFailure(call, result);
}

/** Copies the rescued commit back to a task that is resumed. Commits of other tasks are not copied. */
export async function restoreRescuedCommit(params: { mirror: string; task: string; to: string }): Promise<void> {
  const rescue = rescuePath(params.mirror);
  const ref = rescueRef(params.task);
  if (!(await exists(join(rescue, ref)))) return;
  const options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--update-shallow"];
  await git({ gitDir: params.to, args: ["fetch", ...options, "--", rescue, `+${ref}:refs/heads/work`] });
}

/** Copies a commit of another task to the git directory of this one, which must exist. */
export async function takeOverCommit(context: GitContext, params: TakeOverParams): Promise<void> {
  const commit = checkCommit(params.commit);
  const rescue = rescuePath(mirrorPath(context, params.project));
  const { engine } = taskPaths(context, params.from);
  // The rescue directory twice, because the other task may be cleaned up at this moment.
  for (const gitDir of [rescue, engine, rescue]) {
    if (!(await exists(gitDir)) || !(await hasCommit(gitDir, commit))) continue;
    const ref = `refs/nightshift/taken-over/${checkName(params.from)}`;
    const to = taskPaths(context, params.task).engine;
    await git({ gitDir, args: ["push", "--quiet", "--force", "--", to, `${commit}:${ref}`] });
    return;
  }
  throw new UserError("not_found", `The work of ${params.from} cannot be read any more.`);
}

function rescueRef(task: string): string {
  return `refs/nightshift/rescue/${checkName(task)}`;
}

/** Creates a git directory that reads the remote's objects from the mirror and stores the rest itself. Safe to call concurrently. */
async function createRescueDir(mirror: string): Promise<string> {
  const rescue = rescuePath(mirror);
  if (await exists(rescue)) {
    await repairGitDir(rescue, rescueDirParams(mirror));
    return rescue;
  }
  // The name ends in .lock, so that the sweep removes it after a crash.
  const building = `${rescue}.${randomBytes(6).toString("hex")}.lock`;
  await writeGitDir(building, rescueDirParams(mirror));
  await symlink(join(mirror, "shallow"), join(building, "shallow"));
  await rename(building, rescue).catch(async (error: unknown) => {
    await removeTree(building);
    if (!isCode(error, "ENOTEMPTY", "EEXIST")) throw error;
  });
  return rescue;
}
