import type { MergeMethod, MergeObstacle } from "../../core/forge/merge.ts";
import { ForgeError, UserError } from "../../core/text/errors.ts";
import { shortHash } from "../../core/text/short-hash.ts";
import type { ChangeRequestState, Forge } from "../../ports/forge.ts";
import { sourceOf } from "../run/prepare/source-of.ts";
import type { MergeCandidate, MergeContext } from "./find-candidate.ts";

export interface MergeOptions {
  readonly method: MergeMethod | null;
  /** Posted on the change request. */
  readonly comment: string | null;
  /** Until this time, a CI that has not started yet counts as running. */
  readonly expectCiUntil: number;
}

export type MergeResult =
  | {
      readonly kind: "merged";
      readonly summary: string;
      readonly commit: string | null;
      readonly warnings: readonly string[];
    }
  /** The default branch has new commits, so the merged files would not be the checked ones. */
  | { readonly kind: "outdated"; readonly summary: string };

/**
 * Merges the published commit at the forge, or without one into the remote's default branch. Idempotent, so it can be repeated
 * after a crash. Throws a UserError that says why it cannot be merged now.
 */
export async function performMerge(
  context: MergeContext,
  candidate: MergeCandidate,
  options: MergeOptions,
): Promise<MergeResult> {
  const { ports, task, project, settings } = context;
  const forge = ports.forges.open(project, settings);
  if (candidate.request !== null && forge !== null) return mergeAtForge(context, { forge, candidate, options });
  if (candidate.request === null && forge === null) return mergeIntoRemote(context, candidate, options);
  throw new UserError(
    "conflict",
    candidate.request === null
      ? `${task.id} has no change request: it was published before the project had a forge.`
      : `The change request of ${task.id} is ${candidate.request.url}, but the project has no forge any more.`,
    candidate.request === null
      ? `Run "nightshift cancel ${task.id}" and then "nightshift retry ${task.id} --from publishing" to open one.`
      : "Configure `forge` again, or merge it there and reject the task.",
  );
}

interface ForgeMerge {
  readonly forge: Forge;
  readonly candidate: MergeCandidate;
  readonly options: MergeOptions;
}

async function mergeAtForge(
  { ports, task }: MergeContext,
  { forge, candidate, options }: ForgeMerge,
): Promise<MergeResult> {
  const { commit, request } = candidate;
  if (request === null) throw new Error("a merge at the forge needs a change request");
  const now = await forge.read(request.number);
  if (now.url !== request.url)
    throw new UserError("conflict", `Number ${request.number} at ${forge.repository} is not ${request.url} any more.`);
  const isCiExpected = ports.clock.now() < options.expectCiUntil;
  const obstacle = now.state === "merged" ? null : findObstacle(now, commit, isCiExpected);
  if (obstacle !== null) throw refuse(obstacle, { task: task.id, url: request.url, now, commit });
  const { mergeCommit, warnings } = await forge.merge(request.number, {
    commit,
    method: options.method,
    comment: options.comment,
  });
  return { kind: "merged", summary: `${request.url} was merged`, commit: mergeCommit, warnings };
}

function findObstacle(now: ChangeRequestState, commit: string, isCiExpected: boolean): MergeObstacle | null {
  if (now.state === "closed") return "closed";
  if (now.headCommit !== commit) return "head_moved";
  if (now.hasConflict === true) return "conflict";
  if (now.ci === "failed") return "ci_failed";
  return now.ci === "running" || (now.ci === "none" && isCiExpected) ? "ci_running" : null;
}

interface Refusal {
  readonly task: string;
  readonly url: string;
  readonly now: ChangeRequestState;
  readonly commit: string;
}

/** The sentence says what happened, the hint what to do. */
function refuse(obstacle: MergeObstacle, { task, url, now, commit }: Refusal): ForgeError {
  const end = `or end the task with "nightshift reject ${task}"`;
  const [message, hint] = ((): readonly [string, string] => {
    switch (obstacle) {
      case "closed":
        return [`${url} is closed.`, `Reopen it there, ${end}.`];
      case "head_moved":
        return [
          `The branch of ${url} has other commits than the reviewed one (${shortHash(now.headCommit)} instead of ${shortHash(commit)}).`,
          `Look at the new commits. If they are good, merge it there; otherwise restore ${shortHash(commit)} as the head, ${end}.`,
        ];
      case "conflict":
        return [`${url} conflicts with its target branch.`, `Resolve the conflict there, ${end}.`];
      case "ci_running":
        return [`The CI of ${url} has not finished.`, "Wait for it, then try again."];
      default:
        return [`The CI of ${url} failed.`, `Look at the results there and repeat it if it is flaky, ${end}.`];
    }
  })();
  return new ForgeError("refused", message, { hint, obstacle });
}

async function mergeIntoRemote(
  context: MergeContext,
  { commit, branch }: MergeCandidate,
  { method }: MergeOptions,
): Promise<MergeResult> {
  const { ports, task } = context;
  const result = await ports.workspaces.mergeBranch({
    ...sourceOf(context),
    task: task.id,
    branch,
    commit,
    method,
    message: method === "merge" ? `Merge ${branch}: ${task.title}` : task.title,
    at: task.createdAt,
  });
  const { target } = result;
  if (result.kind === "outdated")
    return { kind: "outdated", summary: `${target} has new commits that were not part of the checks` };
  return { ...result, summary: `${branch} was merged into ${target} at ${shortHash(result.commit)}` };
}
