import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import type { Base, ProjectSource } from "../../../ports/workspace.ts";
import { mirrorPath } from "../context.ts";
import type { GitContext } from "../context.ts";
import { credentialsCall } from "../remote/credentials.ts";
import { exists, repairGitDir, replaceFile, writeGitDir, type GitDirParams } from "../git-dir.ts";
import { runGit } from "../git.ts";
import type { GitCall, GitResult } from "../git.ts";
import { checkBranch, checkRemote } from "../names.ts";
import { runGitRetryingLockedRefs } from "./retry-locked-refs.ts";
import { explainRemoteFailure } from "../remote/remote-errors.ts";
import { removeTree } from "../workspace/remove-tree.ts";
import { isMarkedDamaged, removeDamage, showsDamage } from "./repair.ts";
import { createKeyedLock, withProcessLock } from "./locks.ts";
import { withoutCredentials } from "../../../core/text/without-credentials.ts";

/** The branches of a remote: the one its HEAD names, and the commit of each. */
interface Heads {
  readonly head: string | null;
  readonly branches: ReadonlyMap<string, string>;
}

const PREFIX = "refs/heads/";
const ORIGIN_PREFIX = "refs/remotes/origin/";
/** `--update-shallow`: a shallow checkout is a valid source; the mirror is then shallow, too. */
const FETCH = "fetch --quiet --prune --no-tags --update-shallow --no-write-fetch-head --no-auto-maintenance".split(" ");
const ONE_HOUR = 3_600_000;
const MIRROR: GitDirParams = { head: "none", bare: true, alternate: null };

/** Shared by the whole process, because the process lock cannot distinguish two callers in one process. */
const locks = createKeyedLock();
const waiting = new Map<string, Promise<Heads>>();

export async function syncMirror(context: GitContext, source: ProjectSource): Promise<Base> {
  checkRemote(source.remote);
  const mirror = mirrorPath(context, source.project);
  const heads = await refresh(context, mirror, source);
  const branch = chooseBranch(source, heads);
  const commit = heads.branches.get(branch);
  if (commit === undefined) throw explainMissingBranch(source, branch, heads);
  await replaceFile(join(mirror, "nightshift-base"), `${branch}\n${commit}\n`);
  return { branch, commit };
}

/** Callers that arrive while a refresh is waiting for the lock share its result: it starts after they asked. */
function refresh(context: GitContext, mirror: string, source: ProjectSource): Promise<Heads> {
  const key = `${mirror}\n${source.remote}`;
  const shared = waiting.get(key);
  if (shared) return shared;
  const mine = locks(mirror, async () => {
    waiting.delete(key);
    await mkdir(context.mirrorsDir, { recursive: true });
    return await withProcessLock(`${mirror}.lock`, () => update(context, mirror, source));
  });
  waiting.set(key, mine);
  return mine;
}

/** Listing the remote's branches costs a third of a fetch, and usually nothing has changed. */
async function update(context: GitContext, mirror: string, source: ProjectSource): Promise<Heads> {
  const wasRepaired = await createMirror(mirror);
  const { remote } = source;
  const login = credentialsCall(remote, source.credentials, (await context.person()).env);
  const [there, here] = await Promise.all([listRemoteHeads(mirror, source, login), readBranches(mirror)]);
  const isDamaged = wasRepaired || here === null || (await isMarkedDamaged(mirror));
  if (!isDamaged && sameBranches(there.branches, here)) return there;
  const fetch = (options: readonly string[]): Promise<GitResult> => {
    const args = [...FETCH, ...options, "--", remote, `+${PREFIX}*:${ORIGIN_PREFIX}*`];
    return runGitRetryingLockedRefs(mirror, () => ({ gitDir: mirror, ...login, timeoutMs: ONE_HOUR, args }));
  };
  let fetched = isDamaged ? null : await fetch([]);
  if (fetched === null || showsDamage(fetched.stderr)) {
    context.log.warn("the mirror of a project is damaged; all of it is fetched again", { mirror });
    await removeDamage(mirror);
    fetched = await fetch(["--refetch"]);
  }
  if (fetched.code !== 0) throw explainRemoteFailure(remote, fetched.stderr, source.credentials);
  return { head: there.head, branches: (await readBranches(mirror)) ?? new Map() };
}

/** Called with the mirror's lock held, so an unfinished mirror belongs to a crashed process. Returns whether one had to be repaired. */
async function createMirror(mirror: string): Promise<boolean> {
  if (await exists(mirror)) return repairGitDir(mirror, MIRROR);
  const building = `${mirror}.building`;
  await removeTree(building);
  await writeGitDir(building, MIRROR);
  await rename(building, mirror);
  return false;
}

async function listRemoteHeads(mirror: string, source: ProjectSource, login: Partial<GitCall>): Promise<Heads> {
  const args = ["ls-remote", "--quiet", "--symref", "--", source.remote, "HEAD", `${PREFIX}*`];
  const { code, stdout, stderr } = await runGit({ gitDir: mirror, ...login, args, timeoutMs: ONE_HOUR });
  if (code !== 0) throw explainRemoteFailure(source.remote, stderr, source.credentials);
  let head: string | null = null;
  const branches = new Map<string, string>();
  for (const line of stdout.toString().split("\n")) {
    const [value = "", name = ""] = line.split("\t");
    if (name === "HEAD" && value.startsWith(`ref: ${PREFIX}`)) head = value.slice(`ref: ${PREFIX}`.length);
    else if (name.startsWith(PREFIX)) branches.set(name.slice(PREFIX.length), value);
  }
  return { head, branches };
}

/** Returns null if some of them cannot be read. */
async function readBranches(mirror: string): Promise<Map<string, string> | null> {
  const format = "%(objectname)\t%(refname)";
  const args = ["for-each-ref", `--format=${format}`, ORIGIN_PREFIX];
  const { code, stdout, stderr } = await runGit({ gitDir: mirror, args });
  if (code !== 0 || stderr.includes("broken ref")) return null;
  const branches = new Map<string, string>();
  for (const line of stdout.toString().split("\n")) {
    const [commit = "", name = ""] = line.split("\t");
    if (name !== "") branches.set(name.slice(ORIGIN_PREFIX.length), commit);
  }
  return branches;
}

function sameBranches(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([name, commit]) => b.get(name) === commit);
}

function chooseBranch(source: ProjectSource, heads: Heads): string {
  if (source.defaultBranch !== null) return checkBranch(source.defaultBranch);
  if (heads.head !== null) return checkBranch(heads.head);
  const remote = withoutCredentials(source.remote);
  if (heads.branches.size === 0) throw explainNoCommits(remote);
  throw new UserError(
    "invalid",
    `The HEAD of ${remote} names no branch, so the default branch is unknown.`,
    "Set `default_branch` for this project.",
  );
}

function explainMissingBranch(source: ProjectSource, branch: string, heads: Heads): UserError {
  const remote = withoutCredentials(source.remote);
  if (heads.branches.size === 0) return explainNoCommits(remote);
  const some = [...heads.branches.keys()].slice(0, 5).join(", ");
  return new UserError(
    "not_found",
    `${remote} has no branch "${branch}". It has ${heads.branches.size}: ${some}${heads.branches.size > 5 ? ", …" : ""}.`,
    "Set `default_branch` to one of them.",
  );
}

function explainNoCommits(remote: string): UserError {
  return new UserError("conflict", `${remote} has no commits yet.`, "Make a first commit, then try again.");
}
