import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import type { Base, ProjectSource } from "../../../ports/workspace.ts";
import { mirrorPath } from "../context.ts";
import type { GitContext } from "../context.ts";
import { credentialsCall } from "../remote/credentials.ts";
import { isThere, replaceFile, writeGitDir } from "../git-dir.ts";
import { git, runGit } from "../git.ts";
import type { GitCall } from "../git.ts";
import { checkBranch, checkRemote, showRemote } from "../names.ts";
import { runGitPastLocks } from "./past-locks.ts";
import { explainRemoteFailure } from "../remote/remote-errors.ts";
import { removeTree } from "../workspace/remove-tree.ts";
import { createTurns, withProcessLock } from "./turns.ts";

/** What a remote has: the branch its HEAD names, and where each branch stands. */
interface Heads {
  readonly head: string | null;
  readonly branches: ReadonlyMap<string, string>;
}

const PREFIX = "refs/heads/";
const ORIGIN = "refs/remotes/origin/";
/** A shallow checkout is a source like any other: the mirror is then as shallow. */
const FETCH = "fetch --quiet --prune --no-tags --update-shallow --no-write-fetch-head --no-auto-maintenance".split(" ");
const ONE_HOUR = 3_600_000;

/** Of the whole process, since the lock against other processes cannot tell two users in one process apart. */
const turns = createTurns();
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

/** Whoever asks while a refresh waits for its turn gets that one's answer: it will look after they asked. */
function refresh(context: GitContext, mirror: string, source: ProjectSource): Promise<Heads> {
  const key = `${mirror}\n${source.remote}`;
  const shared = waiting.get(key);
  if (shared) return shared;
  const mine = turns(mirror, async () => {
    waiting.delete(key);
    await mkdir(context.mirrorsDir, { recursive: true });
    return await withProcessLock(`${mirror}.lock`, () => update(context, mirror, source));
  });
  waiting.set(key, mine);
  return mine;
}

/** Looking costs a third of fetching, and mostly nothing has moved. */
async function update(context: GitContext, mirror: string, source: ProjectSource): Promise<Heads> {
  await createMirror(mirror);
  const { remote } = source;
  const login = credentialsCall(remote, source.credentials, (await context.person()).env);
  const [there, here] = await Promise.all([lookAt(mirror, source, login), readBranches(mirror)]);
  if (sameBranches(there.branches, here)) return there;
  const args = [...FETCH, "--", remote, `+${PREFIX}*:${ORIGIN}*`];
  const fetched = await runGitPastLocks(mirror, () => ({ gitDir: mirror, ...login, timeoutMs: ONE_HOUR, args }));
  if (fetched.code !== 0) throw explainRemoteFailure(remote, fetched.stderr, source.credentials);
  return { head: there.head, branches: await readBranches(mirror) };
}

/** Called under the mirror's lock, so what is found half-built is of a process that died. */
async function createMirror(mirror: string): Promise<void> {
  if (await isThere(mirror)) return;
  const building = `${mirror}.building`;
  await removeTree(building);
  await writeGitDir(building, { head: "none", bare: true, alternate: null });
  await rename(building, mirror);
}

async function lookAt(mirror: string, source: ProjectSource, login: Partial<GitCall>): Promise<Heads> {
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

async function readBranches(mirror: string): Promise<Map<string, string>> {
  const format = "%(objectname)\t%(refname)";
  const listed = await git({ gitDir: mirror, args: ["for-each-ref", `--format=${format}`, ORIGIN] });
  const branches = new Map<string, string>();
  for (const line of listed.toString().split("\n")) {
    const [commit = "", name = ""] = line.split("\t");
    if (name !== "") branches.set(name.slice(ORIGIN.length), commit);
  }
  return branches;
}

function sameBranches(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([name, commit]) => b.get(name) === commit);
}

function chooseBranch(source: ProjectSource, heads: Heads): string {
  if (source.defaultBranch !== null) return checkBranch(source.defaultBranch);
  if (heads.head !== null) return heads.head;
  const remote = showRemote(source.remote);
  if (heads.branches.size === 0) throw explainNoCommits(remote);
  throw new UserError(
    "invalid",
    `The HEAD of ${remote} names no branch, so there is no default branch to start from.`,
    "Set `default_branch` for this project.",
  );
}

function explainMissingBranch(source: ProjectSource, branch: string, heads: Heads): UserError {
  const remote = showRemote(source.remote);
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
