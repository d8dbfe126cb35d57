import { withoutCredentials } from "../../core/text/without-credentials.ts";
import { findRemote, queryGit, readRemote, type Environment, type QueryGit } from "./detect-git.ts";

/** A registered project with a checkout. */
export interface ProjectCheckout {
  readonly path: string;
  /** Without credentials. The checkout itself if it has no remote. */
  readonly remote: string;
  readonly defaultBranch: string;
}

/** Work in a checkout that is not part of a task, because tasks start from the default branch of the remote. */
export interface UnseenWork {
  /** The branch that a task starts from, such as `origin/main`. */
  readonly base: string;
  /** Its commit, as of the last fetch of this checkout. Null if it was never fetched. */
  readonly commit: string | null;
  /** Null for a detached HEAD. */
  readonly branch: string | null;
  /** Commits of HEAD that the base does not have. */
  readonly commits: number;
  readonly files: number;
}

const COMMIT_LENGTH = 10;

/** Returns null if the checkout cannot be read before the signal, or if it has another remote now. */
export async function findUnseenWork(
  { path, remote, defaultBranch }: ProjectCheckout,
  env: Environment,
  signal: AbortSignal,
): Promise<UnseenWork | null> {
  const query: QueryGit = (...args) => queryGit(path, env, { args, signal });
  const name = await findRemoteName(query, path, remote);
  if (name === undefined) return null;
  const ref = name === null ? `refs/heads/${defaultBranch}` : `refs/remotes/${name}/${defaultBranch}`;
  const [commit, branch, commits, files] = await Promise.all([
    query("rev-parse", "--verify", "--quiet", `${ref}^{commit}`),
    query("symbolic-ref", "--quiet", "--short", "HEAD"),
    query("rev-list", "--count", "HEAD", `^${ref}`),
    countChangedFiles(path, env, signal),
  ]);
  if (files === null) return null;
  return {
    base: name === null ? defaultBranch : `${name}/${defaultBranch}`,
    commit: commit.output?.slice(0, COMMIT_LENGTH) ?? null,
    branch: branch.output,
    commits: Number(commits.output ?? 0),
    files,
  };
}

/** Returns the refs of the default branch and of a published branch after `git fetch`. Null if a fetch would not get them. */
export async function findFetchedRefs(
  { path, remote, defaultBranch }: ProjectCheckout,
  env: Environment,
  branch: string,
): Promise<{ readonly remote: string | null; readonly base: string; readonly branch: string } | null> {
  const query: QueryGit = (...args) => queryGit(path, env, { args });
  const name = await findRemoteName(query, path, remote);
  if (name === undefined) return null;
  if (name === null) return { remote: null, base: defaultBranch, branch };
  const fetched = await query("config", "--get-all", `remote.${name}.fetch`);
  if (!(fetched.output ?? "").split("\n").includes(`+refs/heads/*:refs/remotes/${name}/*`)) return null;
  return { remote: name, base: `${name}/${defaultBranch}`, branch: `${name}/${branch}` };
}

/** The name of the git remote that Nightshift pushes to. Null: the checkout itself. Undefined: it has another one now. */
async function findRemoteName(query: QueryGit, path: string, remote: string): Promise<string | null | undefined> {
  if (remote === path) return null;
  const name = await findRemote(query);
  if (name === null) return undefined;
  try {
    return withoutCredentials(await readRemote(query, name, path)) === remote ? name : undefined;
  } catch {
    return undefined;
  }
}

/** Null if git failed or took too long. An untracked folder counts as one file. */
async function countChangedFiles(path: string, env: Environment, signal: AbortSignal): Promise<number | null> {
  const pattern = String.raw`^filter\..*\.(clean|smudge|process|required)$`;
  const filters = await queryGit(path, env, {
    args: ["config", "--null", "--name-only", "--get-regexp", pattern],
    signal,
  });
  const keys = (filters.output ?? "").split("\0").filter((key) => key !== "");
  const status = await queryGit(path, env, {
    args: ["status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=all", "--no-renames"],
    // A filter is a program, and a repository can name any.
    config: Object.fromEntries(keys.map((key) => [key, key.endsWith(".required") ? "false" : ""])),
    signal,
  });
  return status.output === null ? null : status.output.split("\0").filter((entry) => entry !== "").length;
}
