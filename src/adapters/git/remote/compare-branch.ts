import type { CompareBranchParams, IsMergedParams, RemoteBranch } from "../../../ports/workspace/branches.ts";
import { isAncestor } from "../commits.ts";
import { mirrorPath } from "../context.ts";
import type { GitContext } from "../context.ts";
import { git, hasCommit, runGit } from "../git.ts";
import { checkBranch, checkCommit } from "../names.ts";
import { readPushed } from "./push.ts";

export async function compareBranch(context: GitContext, params: CompareBranchParams): Promise<RemoteBranch | null> {
  const gitDir = mirrorPath(context, params.project);
  const ref = `refs/remotes/origin/${checkBranch(params.branch)}`;
  const found = await runGit({ gitDir, args: ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`] });
  if (found.code !== 0) return null;
  const commit = checkCommit(found.stdout.toString().trim());
  const base = await runGit({ gitDir, args: ["merge-base", commit, checkCommit(params.base)] });
  const mergeBase = base.code === 0 ? base.stdout.toString().trim() : null;
  const workBase = checkCommit(params.workBase);
  const isOlder = mergeBase === null || (await isAncestor(gitDir, mergeBase, workBase));
  return { commit, mergeBase, base: isOlder ? workBase : mergeBase, relation: await compare(context, params, commit) };
}

async function compare(
  context: GitContext,
  params: CompareBranchParams,
  commit: string,
): Promise<RemoteBranch["relation"]> {
  const published = checkCommit(params.published);
  // After a crash, the newest push of the task may be known to this record only.
  if (commit === published || (await readPushed(context, params)).at(-1) === commit) return "same";
  const gitDir = mirrorPath(context, params.project);
  // After a force-push, the mirror may never have fetched the published commit.
  if (!(await hasCommit(gitDir, published))) return "rewritten";
  return (await isAncestor(gitDir, published, commit)) ? "ahead" : "rewritten";
}

/** `git cherry` marks commits whose changes the base has under another id with a minus, and leaves out those that it contains. */
export async function isMerged(gitDir: string, params: IsMergedParams): Promise<boolean> {
  const [commit, base] = [checkCommit(params.commit), checkCommit(params.base)];
  if (!(await hasCommit(gitDir, commit)) || !(await hasCommit(gitDir, base))) return false;
  const lines = (await git({ gitDir, args: ["cherry", base, commit] })).toString().split("\n");
  return !lines.some((line) => line.startsWith("+"));
}
