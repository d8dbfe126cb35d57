import type { CommitName } from "../../../ports/workspace.ts";
import { mirrorPath, unknownCommitError } from "../context.ts";
import type { GitContext } from "../context.ts";
import { git, hasCommit } from "../git.ts";
import { checkCommit } from "../names.ts";
import { showPath } from "./read-changes.ts";

/** An entry of `git ls-tree -z`: mode, type and hash, a tab, and the path. A submodule has the type `commit`. */
const FILE_ENTRY = /^\d+ blob [0-9a-f]+\t(.+)$/s;

export async function listFiles(context: GitContext, params: CommitName): Promise<readonly string[]> {
  const gitDir = await findCommit(context, params);
  const output = await git({ gitDir, args: ["ls-tree", "-r", "-z", "--full-tree", params.base] });
  return output
    .toString("latin1")
    .split("\0")
    .flatMap((entry) => FILE_ENTRY.exec(entry)?.[1] ?? [])
    .map((name) => showPath(Buffer.from(name, "latin1")));
}

export async function countCommits(
  context: GitContext,
  params: CommitName & { readonly max: number },
): Promise<number> {
  const gitDir = await findCommit(context, params);
  const args = ["rev-list", "--first-parent", "--count", `--max-count=${params.max}`, params.base, "--"];
  return Number((await git({ gitDir, args })).toString());
}

async function findCommit(context: GitContext, { project, base }: CommitName): Promise<string> {
  const gitDir = mirrorPath(context, project);
  if (!(await hasCommit(gitDir, checkCommit(base)))) throw unknownCommitError(project, base);
  return gitDir;
}
