import { UserError } from "../../../core/text/errors.ts";
import { withoutCredentials } from "../../../core/text/without-credentials.ts";
import type { Base } from "../../../ports/workspace.ts";
import type { BranchMerge, MergeBranchParams } from "../../../ports/workspace/branches.ts";
import { isAncestor, makeCommit } from "../commits.ts";
import { taskPaths } from "../context.ts";
import type { GitContext } from "../context.ts";
import { hasCommit, runGit } from "../git.ts";
import type { GitResult } from "../git.ts";
import { checkBranch, checkCommit } from "../names.ts";
import { credentialsCall } from "./credentials.ts";
import { explainPushFailure, HALF_AN_HOUR, isPath, isRefused, PUSH, REFUSE_CHECKED_OUT } from "./push.ts";

/** `base` is the remote's default branch, as it was a moment ago. */
export async function mergeIntoDefault(
  context: GitContext,
  params: MergeBranchParams,
  base: Base,
): Promise<BranchMerge> {
  const commit = checkCommit(params.commit);
  checkBranch(params.branch);
  const gitDir = taskPaths(context, params.task).engine;
  if (!(await hasCommit(gitDir, commit))) throw explainMissingCommit(params);
  const { branch: target } = base;
  if (await isAncestor(gitDir, commit, base.commit)) return finish(context, params, { target, commit: base.commit });
  const fork = await findFork(gitDir, commit, base.commit);
  if (fork === null) return { kind: "outdated", target };
  const merged = await createMergedCommit(context, params, fork);
  // A squashed commit does not contain the task's own one, so look for it: a crash may have followed its push.
  if (await isAncestor(gitDir, merged, base.commit)) return finish(context, params, { target, commit: base.commit });
  if (fork !== base.commit) return { kind: "outdated", target };
  const pushed = await push(context, params, [`${merged}:refs/heads/${target}`]);
  if (isRefused(pushed)) return { kind: "outdated", target };
  if (pushed.code !== 0) throw explainFailure(params, target, pushed);
  return finish(context, params, { target, commit: merged });
}

/** Has exactly the files of the published commit, because `fork` is the tip of the default branch. */
function createMergedCommit(context: GitContext, params: MergeBranchParams, fork: string): Promise<string> | string {
  const { task, commit, method, message, at } = params;
  const tree = `${commit}^{tree}`;
  switch (method) {
    case "squash":
      return makeCommit(context, { task, tree, parents: [fork], message, at });
    case "merge":
      return makeCommit(context, { task, tree, parents: [fork, commit], message, at });
    default:
      return commit;
  }
}

async function finish(
  context: GitContext,
  params: MergeBranchParams,
  { target, commit }: { readonly target: string; readonly commit: string },
): Promise<BranchMerge> {
  return { kind: "merged", target, commit, warnings: await deleteBranch(context, params) };
}

/** Only if it still has the merged commit. */
async function deleteBranch(context: GitContext, params: MergeBranchParams): Promise<readonly string[]> {
  const { commit } = params;
  const ref = `refs/heads/${params.branch}`;
  const deleted = await push(context, params, [`:${ref}`], [`--force-with-lease=${ref}:${commit}`]);
  if (deleted.code === 0 || isRefused(deleted) || /remote ref does not exist/.test(deleted.stderr)) return [];
  return [`The branch "${params.branch}" was not deleted. ${explainPushFailure(params, deleted).message}`];
}

async function push(
  context: GitContext,
  { task, remote, credentials }: MergeBranchParams,
  refs: readonly string[],
  options: readonly string[] = [],
): Promise<GitResult> {
  const { env } = await context.person();
  return runGit({
    gitDir: taskPaths(context, task).engine,
    ...credentialsCall(remote, credentials, env),
    timeoutMs: HALF_AN_HOUR,
    args: [...PUSH, ...(isPath(remote) ? [REFUSE_CHECKED_OUT] : []), ...options, "--", remote, ...refs],
  });
}

async function findFork(gitDir: string, one: string, other: string): Promise<string | null> {
  const { code, stdout } = await runGit({ gitDir, args: ["merge-base", one, other] });
  return code === 0 ? stdout.toString().trim() : null;
}

function explainFailure(params: MergeBranchParams, target: string, pushed: GitResult): UserError {
  const error = explainPushFailure({ ...params, branch: target }, pushed);
  if (!/is checked out/.test(error.message)) return error;
  return new UserError(
    "conflict",
    error.message,
    `Merge it there yourself with "git merge --ff-only ${params.branch}", then run "nightshift merge ${params.task}" again. Or check out another branch there.`,
  );
}

function explainMissingCommit({ commit, remote, branch }: MergeBranchParams): UserError {
  return new UserError(
    "not_found",
    `Commit ${commit} of "${branch}" is no longer at ${withoutCredentials(remote)}.`,
    "Publish the change again with nightshift retry --from publishing.",
  );
}
