import { text } from "./fake-api.ts";
import type { ApiRequest, ApiResponse } from "./fake-api.ts";
import { addComment, deleteBranch, hasConflict, merge, readHead, refreshHead } from "./forge-world.ts";
import type { FakeChangeRequest, FakeComment, ForgeWorld, MergeRules } from "./forge-world.ts";

/** The part of GitLab's API that merges and comments. Returns the refusal, or null if it was merged. */
export async function mergeAsRequested(
  world: ForgeWorld,
  { body }: ApiRequest,
  changeRequest: FakeChangeRequest,
): Promise<ApiResponse | null> {
  await refreshHead(world, changeRequest);
  const sha = text(body["sha"]);
  if (sha !== "" && sha !== changeRequest.headCommit)
    return { status: 409, body: { message: `SHA does not match HEAD of source branch: ${changeRequest.headCommit}` } };
  if (changeRequest.state !== "open" || mergeStatus(world, changeRequest) !== "mergeable")
    return { status: 405, body: { message: "405 Method Not Allowed" } };
  if (await hasConflict(world, changeRequest)) return { status: 422, body: { message: "Branch cannot be merged" } };
  const { methods } = world.mergeRules;
  const squash = body["squash"] === true && methods.includes("squash");
  await merge(world, changeRequest, squash ? "squash" : methods.includes("merge") ? "merge" : "rebase");
  if (body["should_remove_source_branch"] === true) await deleteBranch(world, changeRequest.branch);
  return null;
}

/** Without conflicts, which take a while to compute. */
export function mergeStatus({ mergeRules, ci }: ForgeWorld, { state, draft, headCommit }: FakeChangeRequest): string {
  if (state !== "open") return "not_open";
  if (draft) return "draft_status";
  if (mergeRules.needsReview) return "not_approved";
  if (!mergeRules.needsCi || ci.get(headCommit) === "passed") return "mergeable";
  return ci.get(headCommit) === "running" ? "ci_still_running" : "ci_must_pass";
}

export function mergeSettings({ methods }: MergeRules): Readonly<Record<string, string>> {
  const squash = methods.includes("squash") ? (methods.length === 1 ? "always" : "default_on") : "never";
  return {
    merge_method: methods.includes("rebase") && !methods.includes("merge") ? "ff" : "merge",
    squash_option: squash,
  };
}

export async function handleBranch(world: ForgeWorld, { method }: ApiRequest, branch: string): Promise<ApiResponse> {
  const commit = await readHead(world, branch);
  if (commit === null) return { status: 404, body: { message: "404 Branch Not Found" } };
  if (method === "GET") return { status: 200, body: { name: branch, commit: { id: commit } } };
  await deleteBranch(world, branch);
  return { status: 204, body: null };
}

export function noteAsRequested({ body }: ApiRequest, changeRequest: FakeChangeRequest): FakeComment {
  return addComment(changeRequest, { author: "nightshift", body: text(body["body"]) });
}
