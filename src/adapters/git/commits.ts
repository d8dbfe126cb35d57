import type { Diff, DiffParams, RebaseParams, SquashParams } from "../../ports/workspace.ts";
import { taskPaths } from "./context.ts";
import type { GitContext } from "./context.ts";
import { writeRef } from "./git-dir.ts";
import { git, gitFailure, runGit } from "./git.ts";
import { checkCommit } from "./names.ts";
import { diffArgs, readStats } from "./read/stats.ts";
import { cleanMessage } from "./workspace/write-commit.ts";

export async function squashCommits(context: GitContext, params: SquashParams): Promise<string> {
  const { task, message, at } = params;
  const tree = `${checkCommit(params.commit)}^{tree}`;
  const base = checkCommit(params.base);
  const onto = params.onto == null ? null : checkCommit(params.onto);
  if (onto === null) return await makeCommit(context, { task, tree, parents: [base], message, at });
  const gitDir = taskPaths(context, task).engine;
  const containsBase = await isAncestor(gitDir, base, onto);
  if (containsBase && (await readTree(gitDir, params.commit)) === (await readTree(gitDir, onto))) return onto;
  return await makeCommit(context, { task, tree, parents: containsBase ? [onto] : [onto, base], message, at });
}

export async function isAncestor(gitDir: string, older: string, newer: string): Promise<boolean> {
  const call = { gitDir, args: ["merge-base", "--is-ancestor", older, newer] };
  const result = await runGit(call);
  if (result.code !== 0 && result.code !== 1) throw gitFailure(call, result);
  return result.code === 0;
}

async function readTree(gitDir: string, commit: string): Promise<string> {
  return (await git({ gitDir, args: ["rev-parse", `${commit}^{tree}`] })).toString().trim();
}

export async function rebaseCommit(context: GitContext, params: RebaseParams): Promise<string | null> {
  const [commit, oldBase, newBase] = [params.commit, params.oldBase, params.newBase].map(checkCommit);
  if (commit === undefined || oldBase === undefined || newBase === undefined || newBase === oldBase)
    return params.commit;
  const { task, at } = params;
  const gitDir = taskPaths(context, task).engine;
  // Present both sides as children of the old base, so that it is the merge base even if the history between them was rewritten,
  // squashed or is missing (shallow). git 2.40 has an option for this, but Debian 12 has 2.39.
  const childOf = (of: string) =>
    makeCommit(context, { task, tree: `${of}^{tree}`, parents: [oldBase], message: "", at });
  const [theirs, ours, text] = await Promise.all([
    childOf(newBase),
    childOf(commit),
    git({ gitDir, args: ["cat-file", "commit", commit] }),
  ]);
  const merge = { gitDir, args: ["merge-tree", "--write-tree", "--no-messages", "--name-only", theirs, ours] };
  const merged = await runGit(merge);
  if (merged.code === 1 && params.keepConflicts !== true) return null;
  if (merged.code !== 0 && merged.code !== 1) throw gitFailure(merge, merged);
  const tree = merged.stdout.toString().split("\n")[0]?.trim() ?? "";
  return await makeCommit(context, { task, tree, parents: [newBase], message: messageOf(text), at });
}

export async function diffCommits(context: GitContext, params: DiffParams): Promise<Diff> {
  const gitDir = taskPaths(context, params.task).engine;
  const [from, to] = [checkCommit(params.from), checkCommit(params.to)];
  const call = { gitDir, args: diffArgs(["-p"], from, to), maxBytes: params.maxBytes };
  const [result, stats] = await Promise.all([runGit(call), readStats(gitDir, from, to)]);
  const cut = result.stdout.length > params.maxBytes;
  if (result.code !== 0 && !cut) throw gitFailure(call, result);
  // Cut after a complete line, so that no multi-byte character is split.
  const end = cut ? result.stdout.subarray(0, params.maxBytes).lastIndexOf("\n") + 1 : result.stdout.length;
  return { patch: result.stdout.subarray(0, end).toString(), cut, stats };
}

export interface NewCommit {
  readonly task: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly at: number;
}

export async function makeCommit(context: GitContext, commit: NewCommit): Promise<string> {
  const gitDir = taskPaths(context, commit.task).engine;
  const { identity } = await context.person();
  const date = `${Math.floor(commit.at / 1000)} +0000`;
  const made = await git({
    gitDir,
    args: ["commit-tree", commit.tree, ...commit.parents.flatMap((parent) => ["-p", parent])],
    input: cleanMessage(commit.message),
    extraEnv: {
      GIT_AUTHOR_NAME: identity.name,
      GIT_AUTHOR_EMAIL: identity.email,
      GIT_AUTHOR_DATE: `@${date}`,
      GIT_COMMITTER_NAME: identity.name,
      GIT_COMMITTER_EMAIL: identity.email,
      GIT_COMMITTER_DATE: `@${date}`,
    },
  });
  const id = made.toString().trim();
  await writeRef(gitDir, "refs/heads/work", id);
  return id;
}

function messageOf(commit: Buffer): string {
  const text = commit.toString();
  return text.slice(text.indexOf("\n\n") + 2);
}
