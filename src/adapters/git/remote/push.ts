import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { RemoteError, UserError } from "../../../core/text/errors.ts";
import type { PushParams } from "../../../ports/workspace.ts";
import { taskPaths } from "../context.ts";
import type { GitContext } from "../context.ts";
import { credentialsCall, redactPassword } from "./credentials.ts";
import { replaceFile } from "../git-dir.ts";
import { runGit } from "../git.ts";
import type { GitResult } from "../git.ts";
import { checkBranch, checkCommit, checkRemote } from "../names.ts";
import { readBranch } from "./list-branches.ts";
import { explainRemoteFailure } from "./remote-errors.ts";
import { withoutCredentials } from "../../../core/text/without-credentials.ts";

export const HALF_AN_HOUR = 1_800_000;
const MAX_TRIES = 3;
export const PUSH = ["push", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags"];
/** A checkout may be configured to update when its branch is pushed to. That is for the user's pushes, not for ours. */
export const REFUSE_CHECKED_OUT = "--receive-pack=git -c receive.denyCurrentBranch=refuse receive-pack";

export async function pushCommit(context: GitContext, params: PushParams): Promise<void> {
  checkCommit(params.commit);
  checkBranch(params.branch);
  checkRemote(params.remote);
  const before = [...(params.published ?? []), ...(await readPushed(context, params))];
  const ours = [...before, params.commit];
  // Recorded before the push, so that after a crash we recognize our own commit on the remote.
  await writePushed(context, params, ours);
  let result = await push(context, params, before.at(-1) ?? "");
  for (let tries = 1; tries < MAX_TRIES && isRefused(result); tries++) {
    // After a crash, the last push may not have arrived, or its git process may still be running.
    const there = await readBranch(context, params);
    if (there !== null && !ours.includes(there)) throw explainForeignBranch(params);
    result = await push(context, params, there ?? "");
  }
  checkPushResult(params, result);
}

/** `expected` is the commit the remote branch must have; "" means that the branch must not exist. */
async function push(context: GitContext, params: PushParams, expected: string): Promise<GitResult> {
  const { env } = await context.person();
  const ref = `refs/heads/${params.branch}`;
  return await runGit({
    gitDir: taskPaths(context, params.task).engine,
    ...credentialsCall(params.remote, params.credentials, env),
    timeoutMs: HALF_AN_HOUR,
    args: [
      ...PUSH,
      ...(isPath(params.remote) ? [REFUSE_CHECKED_OUT] : []),
      `--force-with-lease=${ref}:${expected}`,
      "--",
      params.remote,
      `${params.commit}:${ref}`,
    ],
  });
}

function checkPushResult(params: PushParams, result: GitResult): void {
  if (result.code === 0) return;
  if (isRefused(result)) throw explainForeignBranch(params);
  throw explainPushFailure(params, result);
}

/** For a push that the remote refused for another reason than the commit of the branch. */
export function explainPushFailure(
  params: Pick<PushParams, "branch" | "remote" | "credentials">,
  result: GitResult,
): UserError {
  const remote = withoutCredentials(params.remote);
  const stderr = redactPassword(result.stderr, params.credentials);
  const said = `${redactPassword(result.stdout.toString(), params.credentials)}${stderr}`;
  if (/branch is currently checked out|refusing to update checked out branch/.test(said)) {
    return new UserError(
      "conflict",
      `The branch "${params.branch}" is checked out in ${remote}, so it was not updated.`,
      "Check out another branch there and try again.",
    );
  }
  const rejected = /^!\t.*\t(\[remote rejected\] .*)$/m.exec(said)?.[1];
  if (rejected === undefined) return explainRemoteFailure(params.remote, said, params.credentials);
  const remoteSaid = [...stderr.matchAll(/^(?:remote: |error: (?=remote unpack failed))(.*)$/gm)]
    .map(([, line]) => line?.trim())
    .join(" ");
  const answer = `"${params.branch}": ${rejected} ${remoteSaid}`.trim().slice(0, 2000);
  if (isStorageFailure(rejected, remoteSaid))
    return new RemoteError(
      "unreachable",
      `${remote} could not store ${answer}`,
      "Check the disk and the file permissions of the remote.",
    );
  return new RemoteError(
    "refused",
    `${remote} refused ${answer}`,
    "Change the rules of the remote for this branch or account, then retry the task.",
  );
}

const STORAGE_WORDS = /no space left|disk quota exceeded|read-only/i;
/** Git could not write the objects. A hook has its own words for a refusal. */
const STORAGE_REASONS = /unpacker error|unable to migrate objects|failed to update ref/;
/** The remote can write, but does not accept this content or this name. */
const REFUSED_CONTENT = /pack exceeds maximum allowed size|fsck error|cannot lock ref '.*': '.*' exists/;

/** Whether the remote accepts the push but cannot store it, so that it may work later. */
function isStorageFailure(rejected: string, remoteSaid: string): boolean {
  if (STORAGE_WORDS.test(remoteSaid)) return true;
  return STORAGE_REASONS.test(rejected) && !REFUSED_CONTENT.test(remoteSaid);
}

export function isRefused({ code, stdout }: GitResult): boolean {
  return (
    code !== 0 &&
    /^!\t.*\[rejected\] \((stale info|fetch first|non-fast-forward|needs force)\)/m.test(stdout.toString())
  );
}

type TaskBranch = Pick<PushParams, "task" | "branch">;

/** Every commit this task tried to push to that branch, newest last. */
export async function readPushed(context: GitContext, params: TaskBranch): Promise<string[]> {
  const text = await readFile(pushedFile(context, params), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

async function writePushed(context: GitContext, params: TaskBranch, commits: readonly string[]): Promise<void> {
  await replaceFile(pushedFile(context, params), [...new Set(commits)].map((commit) => `${commit}\n`).join(""), {
    durable: true,
  });
}

function pushedFile(context: GitContext, params: TaskBranch): string {
  return join(taskPaths(context, params.task).engine, "pushed", encodeURIComponent(params.branch));
}

export function isPath(remote: string): boolean {
  return remote.startsWith("/") || remote.startsWith(".") || remote.startsWith("file:");
}

function explainForeignBranch(params: PushParams): UserError {
  return new UserError(
    "conflict",
    `${withoutCredentials(params.remote)} has a branch "${params.branch}" that this task did not push, or that was changed since.`,
    "Rename or delete that branch on the remote, or use another branch for the task.",
  );
}
