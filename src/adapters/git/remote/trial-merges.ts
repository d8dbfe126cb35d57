import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type {
  MergeConflict,
  TrialBranch,
  TrialMerges,
  TrialMergesParams,
  TriedBranch,
} from "../../../ports/workspace/trial-merges.ts";
import { mirrorPath, taskPaths } from "../context.ts";
import type { GitContext } from "../context.ts";
import { exists, writeGitDir } from "../git-dir.ts";
import { gitFailure, runGit, type GitCall, type GitResult } from "../git.ts";
import { checkBranch, checkCommit } from "../names.ts";
import { removeTree } from "../workspace/remove-tree.ts";

/** Merges that run at the same time. */
const PARALLEL = 4;
const MAX_CACHED = 10_000;

/** Conflicting files of pairs of commits. Commits never change, so an entry stays valid. */
export type ConflictCache = Map<string, readonly string[]>;

export async function tryMerges(
  context: GitContext,
  cache: ConflictCache,
  params: TrialMergesParams,
): Promise<TrialMerges> {
  if (!(await exists(mirrorPath(context, params.project)))) {
    const branches = params.branches.map(({ task }): TriedBranch => ({ task, status: "missing", targetConflicts: [] }));
    return { branches, conflicts: [] };
  }
  return withScratchDir(context, params, async (scratch) => {
    const known = await readKnown(scratch, params);
    const tried = await inParallel(params.branches, (branch) => tryBranch(scratch, cache, branch, known));
    const open = params.branches.filter((_, index) => tried[index]?.status === "open");
    const pairs = open.flatMap((one, index) => open.slice(index + 1).map((other) => [one, other] as const));
    const conflicts = await inParallel(pairs, async ([one, other]): Promise<MergeConflict> => {
      const files = await findConflicts(scratch, cache, one.commit, other.commit);
      return { tasks: [one.task, other.task], files };
    });
    return { branches: tried, conflicts: conflicts.filter(({ files }) => files.length > 0) };
  });
}

interface ScratchDir {
  readonly mirror: string;
  readonly run: (args: readonly string[], input?: string) => Promise<GitResult>;
}

/** Merging writes objects. They go to a directory of their own, which can read those of the mirror and of the tasks. */
async function withScratchDir<T>(
  context: GitContext,
  { project, branches }: TrialMergesParams,
  work: (scratch: ScratchDir) => Promise<T>,
): Promise<T> {
  await mkdir(context.mirrorsDir, { recursive: true });
  // A name without `.git`, so that the sweep removes it after a crash.
  const gitDir = await mkdtemp(join(context.mirrorsDir, "trial-merges-"));
  try {
    const mirror = mirrorPath(context, project);
    const engines = branches.map(({ task }) => join(taskPaths(context, task).engine, "objects"));
    await writeGitDir(gitDir, { head: "none", bare: true, alternate: join(mirror, "objects") });
    const call: Omit<GitCall, "args"> = {
      gitDir,
      settings: ["core.fsync=none"],
      extraEnv: { GIT_ALTERNATE_OBJECT_DIRECTORIES: engines.join(":") },
    };
    return await work({
      mirror,
      run: (args, input) => runGit({ ...call, args, ...(input !== undefined && { input }) }),
    });
  } finally {
    await removeTree(gitDir);
  }
}

/** What git has at the moment, read with few calls because most results are cached. */
interface Known {
  /** Names of the remote's branches, and their commits. */
  readonly refs: ReadonlyMap<string, string>;
  readonly target: string | null;
  readonly commits: ReadonlySet<string>;
  /** Commits that were fetched, not only made by a task. */
  readonly fetched: ReadonlySet<string>;
}

const REMOTE = "refs/remotes/origin/";

async function readKnown({ mirror, run }: ScratchDir, { target, branches }: TrialMergesParams): Promise<Known> {
  const names = [target, ...branches.map(({ branch }) => branch)].map((name) => `${REMOTE}${checkBranch(name)}`);
  const list = { gitDir: mirror, args: ["for-each-ref", "--format=%(objectname) %(refname)", ...names] };
  const input = branches.map(({ commit }) => `${checkCommit(commit)}\n`).join("");
  const check = ["cat-file", "--batch-check=%(objectname) %(objecttype)"];
  const [listed, all, fetched] = await Promise.all([
    runGit(list),
    run(check, input),
    runGit({ gitDir: mirror, args: check, input }),
  ]);
  if (listed.code !== 0) throw gitFailure(list, listed);
  const refs = new Map(
    lines(listed).map((line): [string, string] => [line.slice(41 + REMOTE.length), line.slice(0, 40)]),
  );
  return { refs, target: refs.get(target) ?? null, commits: commitsIn(all), fetched: commitsIn(fetched) };
}

function commitsIn(result: GitResult): ReadonlySet<string> {
  return new Set(lines(result).flatMap((line) => (line.endsWith(" commit") ? [line.slice(0, 40)] : [])));
}

function lines({ stdout }: GitResult): readonly string[] {
  return stdout.toString().split("\n");
}

async function tryBranch(
  scratch: ScratchDir,
  cache: ConflictCache,
  { task, branch, commit }: TrialBranch,
  { refs, target, commits, fetched }: Known,
): Promise<TriedBranch> {
  const without = (status: TriedBranch["status"]): TriedBranch => ({ task, status, targetConflicts: [] });
  if (!commits.has(commit)) return without("missing");
  // A commit that was not fetched was pushed after the last fetch.
  if (fetched.has(commit) && !refs.has(branch)) return without("gone");
  if (target === null) return without("open");
  const ancestor = await scratch.run(["merge-base", "--is-ancestor", commit, target]);
  if (ancestor.code === 0) return without("merged");
  return { task, status: "open", targetConflicts: await findConflicts(scratch, cache, commit, target) };
}

async function findConflicts(
  { run }: ScratchDir,
  cache: ConflictCache,
  one: string,
  other: string,
): Promise<readonly string[]> {
  const key = [one, other].toSorted().join(" ");
  const known = cache.get(key);
  if (known !== undefined) return known;
  const args = ["merge-tree", "--write-tree", "--no-messages", "--name-only", "-z", one, other];
  const result = await run(args);
  if (result.code !== 0 && result.code !== 1) throw gitFailure({ args, gitDir: "a trial merge" }, result);
  // The first entry is the tree. A file is listed once for each kind of conflict.
  const files = [...new Set(result.stdout.toString().split("\0").slice(1))].filter((file) => file !== "").toSorted();
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, files);
  return files;
}

async function inParallel<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<readonly Out[]> {
  const results: Out[] = [];
  for (let at = 0; at < items.length; at += PARALLEL)
    results.push(...(await Promise.all(items.slice(at, at + PARALLEL).map(work))));
  return results;
}
