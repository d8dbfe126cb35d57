import type { z } from "zod";
import type { ChangeRequestLook, ChangeRequestState, CiState, ForgeComment } from "../../../ports/forge.ts";
import { nullIfUnreadable } from "../shared/logs.ts";
import { combine, pipelineVerdict } from "../shared/ci.ts";
import type { ForgeClient } from "../shared/client.ts";
import { stateOf, toChangeRequest } from "./publish.ts";
import { discussion, fullMergeRequest, reviewerState } from "./schemas.ts";
import type { FullMergeRequest, Note } from "./schemas.ts";

export async function readMergeRequest(client: ForgeClient, id: number, number: number): Promise<ChangeRequestState> {
  const [read, reviewers, discussions] = await Promise.all([
    getMergeRequest(client, id, number),
    listReviewers(client, id, number),
    client.list(discussion.array(), { doing: "read comments", path: `${pathOf(id, number)}/discussions` }),
  ]);
  return {
    ...toLook(read),
    author: read.author?.username ?? "ghost",
    body: read.description ?? "",
    hasConflict: hasConflict(read),
    labels: read.labels,
    comments: discussions
      .flatMap(({ notes }) => notes)
      .filter((note) => !note.system && note.body.trim() !== "")
      .map((note) => toComment(note, reviewers))
      .toSorted((a, b) => a.at - b.at),
    ci: ciOf(read),
  };
}

export async function lookAtMergeRequest(client: ForgeClient, id: number, number: number): Promise<ChangeRequestLook> {
  return toLook(await getMergeRequest(client, id, number));
}

export function getMergeRequest(client: ForgeClient, id: number, number: number): Promise<FullMergeRequest> {
  return client.get(fullMergeRequest, { doing: `read merge request !${number}`, path: pathOf(id, number) });
}

export function pathOf(id: number, number: number): string {
  return `/projects/${id}/merge_requests/${number}`;
}

export function toLook(read: FullMergeRequest): ChangeRequestLook {
  return {
    ...toChangeRequest(read),
    state: stateOf(read),
    headCommit: read.sha ?? "",
    target: read.target_branch,
    mergeCommit: mergeCommitOf(read),
  };
}

/** A fast-forward merge creates no commit, so the branch's head is the merge commit. */
function mergeCommitOf({
  state,
  merge_commit_sha: merge,
  squash_commit_sha: squash,
  sha,
}: FullMergeRequest): string | null {
  return state === "merged" ? (merge ?? squash ?? sha) : null;
}

/** GitLab computes it asynchronously after the first request. */
export function hasConflict(read: FullMergeRequest): boolean | null {
  if (read.has_conflicts) return true;
  const status = read.detailed_merge_status ?? read.merge_status ?? "";
  return /^(unchecked|checking|preparing|approvals_syncing|cannot_be_merged_recheck)/.test(status) ? null : false;
}

/** After a push, GitLab reports the previous commit's pipeline until the new one starts. */
export function ciOf({ head_pipeline: pipeline, sha }: FullMergeRequest): CiState {
  if (!pipeline) return "none";
  // Merged results pipelines run on a temporary merge commit.
  const isMergedResult = /^refs\/merge-requests\/\d+\/(merge|train)$/.test(pipeline.ref);
  return pipeline.sha === sha || isMergedResult ? combine([pipelineVerdict(pipeline.status)]) : "none";
}

type ReviewerState = z.infer<typeof reviewerState>;

/** Old versions of GitLab do not have it. */
async function listReviewers(client: ForgeClient, id: number, number: number): Promise<readonly ReviewerState[]> {
  const path = `${pathOf(id, number)}/reviewers`;
  return (await nullIfUnreadable(() => client.list(reviewerState.array(), { doing: "read reviewers", path }))) ?? [];
}

const BOT_NAME = /^(?:project|group)_\d+_bot|[-_]bot$|^(?:ghost|GitLab-Admin-Bot)$/i;

function toComment(
  { id, author, body, created_at: at, position }: Note,
  reviewers: readonly ReviewerState[],
): ForgeComment {
  const name = author?.username ?? "ghost";
  const requesting = reviewers.some(({ user, state }) => user.username === name && state === "requested_changes");
  return {
    id: String(id),
    author: name,
    body,
    file: position?.new_path ?? position?.old_path ?? null,
    line: position?.new_line ?? position?.old_line ?? null,
    at: Date.parse(at) || 0,
    isBot: BOT_NAME.test(name),
    requestsChanges: requesting,
  };
}
