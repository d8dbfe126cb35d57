import { MERGE_METHODS, type MergeMethod } from "../../core/forge/merge.ts";
import { text } from "./fake-api.ts";
import type { ApiRequest, ApiResponse } from "./fake-api.ts";
import { addComment, deleteBranch, hasConflict, merge, readHead, refreshHead } from "./forge-world.ts";
import type { FakeChangeRequest, FakeComment, ForgeWorld } from "./forge-world.ts";

const NAMES: Readonly<Record<MergeMethod, string>> = { merge: "Merge commits", squash: "Squash", rebase: "Rebase" };

/** The part of GitHub's API that merges and closes, with its refusals. */
export async function mergeAsRequested(
  world: ForgeWorld,
  { body }: ApiRequest,
  changeRequest: FakeChangeRequest,
): Promise<ApiResponse> {
  await refreshHead(world, changeRequest);
  const method = MERGE_METHODS.find((each) => each === body["merge_method"]) ?? "merge";
  const sha = text(body["sha"]);
  if (sha !== "" && sha !== changeRequest.headCommit)
    return { status: 409, body: { message: "Head branch was modified. Review and try the merge again." } };
  const refusal = await findRefusal(world, changeRequest, method);
  if (refusal !== null) return { status: 405, body: { message: refusal } };
  const merged = await merge(world, changeRequest, method);
  return { status: 200, body: { sha: merged, merged: true, message: "Pull Request successfully merged" } };
}

async function findRefusal(
  world: ForgeWorld,
  changeRequest: FakeChangeRequest,
  method: MergeMethod,
): Promise<string | null> {
  const { methods, needsReview, needsCi } = world.mergeRules;
  if (changeRequest.state !== "open") return "Pull Request is not mergeable";
  if (changeRequest.draft) return "Pull Request is still a draft";
  if (!methods.includes(method))
    return `${NAMES[method]}${method === "merge" ? "" : " merges"} are not allowed on this repository.`;
  if (needsReview) return "At least 1 approving review is required by reviewers with write access.";
  if (needsCi && world.ci.get(changeRequest.headCommit) !== "passed") return 'Required status check "ci" is expected.';
  return (await hasConflict(world, changeRequest)) ? "Pull Request is not mergeable" : null;
}

export async function handleGitRef(world: ForgeWorld, { method }: ApiRequest, branch: string): Promise<ApiResponse> {
  const commit = await readHead(world, branch);
  if (method === "GET")
    return commit === null
      ? { status: 404, body: { message: "Not Found" } }
      : { status: 200, body: { ref: `refs/heads/${branch}`, object: { type: "commit", sha: commit } } };
  if (commit === null) return { status: 422, body: { message: "Reference does not exist" } };
  await deleteBranch(world, branch);
  return { status: 204, body: null };
}

export function commentAsRequested({ body }: ApiRequest, changeRequest: FakeChangeRequest): FakeComment {
  return addComment(changeRequest, { author: "nightshift", body: text(body["body"]) });
}

export function closeAsRequested(body: ApiRequest["body"], changeRequest: FakeChangeRequest): void {
  if (body["state"] === "closed" && changeRequest.state === "open") changeRequest.state = "closed";
}
