import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import type { RecentFilesParams } from "../../../ports/workspace.ts";
import { mirrorPath, unknownCommitError } from "../context.ts";
import type { GitContext } from "../context.ts";
import { exists } from "../git-dir.ts";
import { git, gitFailure, runGit } from "../git.ts";
import { checkCommit } from "../names.ts";
import { showPath } from "./read-changes.ts";

/** Compares each commit with its first parent only, so that a merge counts as all the changes it brought. */
const COMPARE = [
  ..."diff-tree --stdin -r -z --root --name-only --no-commit-id".split(" "),
  ..."--no-renames --no-ext-diff --no-textconv --ignore-submodules=none".split(" "),
];

export async function listRecentFiles(context: GitContext, params: RecentFilesParams): Promise<readonly string[]> {
  const base = checkCommit(params.base);
  if (!Number.isSafeInteger(params.commits) || params.commits < 0) {
    throw new UserError(
      "invalid",
      `${params.commits} is not a number of commits.`,
      "Use a whole number of at least 0.",
    );
  }
  const gitDir = mirrorPath(context, params.project);
  if (!(await exists(gitDir))) throw unknownCommitError(params.project, base);
  const commits = await listCommits(gitDir, { ...params, base });
  if (commits.length === 0) return [];
  const output = await git({ gitDir, args: COMPARE, input: commits.map((line) => `${line}\n`).join("") });
  const names = output.toString("latin1").split("\0").slice(0, -1);
  return [...new Set(names.map((name) => showPath(Buffer.from(name, "latin1"))))].toSorted();
}

/** Lines of `<commit> <first parent>` for diff-tree. The root commit has no parent and created all of its files. */
async function listCommits(gitDir: string, params: RecentFilesParams): Promise<string[]> {
  const args = ["rev-list", "--first-parent", "--parents", `--max-count=${params.commits}`, params.base, "--"];
  const call = { gitDir, args };
  const result = await runGit(call);
  if (/bad object|bad revision|unknown revision/i.test(result.stderr))
    throw unknownCommitError(params.project, params.base);
  if (result.code !== 0) throw gitFailure(call, result);
  // At the end of a shallow history a commit looks like a root commit, but its changes are unknown.
  const ends = new Set((await readFile(join(gitDir, "shallow"), "utf8").catch(() => "")).split("\n"));
  return result.stdout
    .toString()
    .split("\n")
    .map((line) => line.split(" ").slice(0, 2))
    .filter(([commit = ""]) => commit !== "" && !ends.has(commit))
    .map((ids) => ids.join(" "));
}
